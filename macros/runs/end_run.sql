{% macro end_run(results) %}
    {% set unfinished = [] %}
    {% for result in results if result.node.package_name == "ticdc" and result.node.resource_type == "model" %}
        {% do unfinished.append(result.node.name) if result.status != "success" %}
    {% endfor %}
    {% do ticdc.finish_run(unfinished) if execute %}
    {% do return("") %}
{% endmacro %}
