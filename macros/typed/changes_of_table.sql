{% macro changes_of_table(table) %}
    {% do return(ref("int_ticdc__row_changes") if table.is_keyless else ref("int_ticdc__keyed_changes")) %}
{% endmacro %}
