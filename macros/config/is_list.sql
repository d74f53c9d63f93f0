{% macro is_list(value) %}
    {% do return(value is sequence and value is not string and value is not mapping) %}
{% endmacro %}
