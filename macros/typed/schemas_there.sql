{% macro schemas_there() %}
    {% set memory = ticdc.memory() %}
    {% if "schemas" not in memory %}
        {% do memory.update({"schemas": run_query("show schemas").rows | map(attribute=0) | map("replace", "`", "") | map("lower") | list}) %}
    {% endif %}
    {% do return(memory.schemas) %}
{% endmacro %}
