{% macro past_of(table) %}
    {% do return(dict(table, columns=table.past_columns or table.columns)) %}
{% endmacro %}
