{% macro check_redecode() %}
    {% set lost, known = [], graph.nodes["model.ticdc.stg_ticdc__" ~ ticdc.protocols_in_use()[0]] %}
    {# models of a protocol that no feed has now are disabled, and their tables may hold messages of feeds that had it #}
    {% for protocol in (ticdc.protocols() if var("ticdc__redecode", false) else []) %}
        {% set node = graph.nodes.get("model.ticdc.stg_ticdc__" ~ protocol, dict(known, alias="stg_ticdc__" ~ protocol)) %}
        {% set staged = adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias) %}
        {% do lost.extend(run_query(ticdc.lost_messages(staged)).rows | map(attribute=0) if staged else []) %}
    {% endfor %}
    {% if lost %}
        {% do exceptions.raise_compiler_error(
            "ticdc: ticdc__redecode would lose messages that are decoded and that nothing can decode again:\n  - " ~ lost | join("\n  - ")
            ~ "\nBuild with --full-refresh alone, which keeps what is decoded, or put these messages back"
        ) %}
    {% endif %}
{% endmacro %}
