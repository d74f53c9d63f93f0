{% macro note_protocols(state, is_refresh) %}
    {% set feeds, built = {} if var("ticdc__redecode", false) else state.get("feeds", {}), [] if is_refresh else state.get("protocols", []) %}
    {% for feed in ticdc.feeds() %}
        {% set before = feeds.get(feed.name, feed.protocol) %}
        {% if before != feed.protocol %}
            {% do ticdc.refuse_run(
                "feed " ~ feed.name ~ " in ticdc__feeds has the protocol " ~ feed.protocol ~ ", and its messages are decoded as "
                ~ before ~ ": decode them again, by ticdc redecode or by --full-refresh with ticdc__redecode: true"
            ) %}
        {% elif built and feed.protocol not in built and state.models.get(ticdc.relation_name("stg_ticdc__" ~ feed.protocol), {}).batches %}
            {% do ticdc.refuse_run(
                "feed " ~ feed.name ~ " is in ticdc__feeds again, and all tables were made anew without the messages of its protocol, "
                ~ feed.protocol ~ ", that are decoded already: build once with --full-refresh"
            ) %}
        {% endif %}
        {% do feeds.update({feed.name: feed.protocol}) %}
    {% endfor %}
    {# a table of a protocol that no feed has now is none of those that are decoded again #}
    {% for protocol in ticdc.protocols() | reject("in", ticdc.protocols_in_use()) if var("ticdc__redecode", false) %}
        {% do state.models.pop(ticdc.staged_relation(protocol).identifier, none) %}
    {% endfor %}
    {% for protocol in ticdc.protocols_in_use() %}
        {% set node = graph.nodes["model.ticdc.stg_ticdc__" ~ protocol] %}
        {% do state.setdefault("staged", {}).update({protocol: [node.schema, node.alias]}) %}
    {% endfor %}
    {% do state.update({"feeds": feeds, "protocols": (built + ticdc.protocols_in_use()) | unique | sort | list}) %}
{% endmacro %}
