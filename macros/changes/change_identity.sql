{% macro change_identity() -%}
    xxhash64(table_id, table_incarnation, op, copy, before, after)
{%- endmacro %}
