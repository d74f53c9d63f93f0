{% macro staging_relation(protocol) %}
    {% if not execute or flags.FULL_REFRESH %}{% do return(none) %}{% endif %}
    {# ref() would make the model depend on it, and the staging models read the model that asks. #}
    {% set node = graph.nodes["model.ticdc.stg_ticdc__" ~ protocol] %}
    {% do return(adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias)) %}
{% endmacro %}
