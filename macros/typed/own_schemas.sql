{% macro own_schemas() %}
    {% set schemas = [var("ticdc__messages_schema", "ticdc_raw") | string] %}
    {% for node in (graph.nodes.values() if execute else []) if node.package_name == "ticdc" and node.resource_type in ["model", "seed"] %}
        {% do schemas.append(node.schema) %}
    {% endfor %}
    {% do return(schemas | unique | sort) %}
{% endmacro %}
