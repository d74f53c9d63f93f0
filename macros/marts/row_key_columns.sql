{% macro row_key_columns() -%}
    feed, schema_name, table_name, table_incarnation, row_key
{%- endmacro %}
