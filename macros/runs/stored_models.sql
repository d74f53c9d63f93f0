{% macro stored_models() %}
    {% set found = [] %}
    {% for node in graph.nodes.values() if node.package_name == "ticdc" and node.resource_type == "model" %}
        {% if node.config.materialized not in ["ticdc_view", "ticdc_table_function", "ticdc_state", "ticdc_log"] %}{% do found.append(node.name) %}{% endif %}
    {% endfor %}
    {% do return(found | sort) %}
{% endmacro %}
