{% macro stored_keys(table, columns) %}
    {% do return(columns | selectattr("name", "in", table.key_columns) | map(attribute="stored_as") | list) %}
{% endmacro %}
