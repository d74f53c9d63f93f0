{% macro row_key_columns() -%}
    feed, table_id, table_incarnation, row_key
{%- endmacro %}
