{% macro relation_of(model) %}
    {% if not execute %}{% do return(none) %}{% endif %}
    {# ref() would make the asking model depend on it, and it depends on the asking model. #}
    {% set node = graph.nodes["model.ticdc." ~ model] %}
    {% do return(adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias)) %}
{% endmacro %}
