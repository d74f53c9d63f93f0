{% macro staged_relation(protocol) %}
    {# a model of a protocol that no feed has now is disabled: dbt tells nothing of it, and its table may hold messages of feeds that had it #}
    {% set name, known = "stg_ticdc__" ~ protocol, graph.nodes["model.ticdc.stg_ticdc__" ~ ticdc.protocols_in_use()[0]] %}
    {% set node, place = graph.nodes.get("model.ticdc." ~ name), ticdc.state().get("staged", {}).get(protocol) %}
    {% if node %}
        {% set place = [node.schema, node.alias] %}
    {% elif not place %}
        {# of a version that did not note it #}
        {% set place = [known.schema, generate_alias_name(none, dict(known, name=name, unique_id="model.ticdc." ~ name)) | trim] %}
    {% endif %}
    {% do return(api.Relation.create(database=known.database, schema=place[0], identifier=place[1])) %}
{% endmacro %}
