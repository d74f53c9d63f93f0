{% macro bare_types() %}
    {% do return(["decimal", "decimal unsigned", "bit"]) %}
{% endmacro %}
