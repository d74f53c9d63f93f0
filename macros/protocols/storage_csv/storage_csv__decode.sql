{% macro storage_csv__decode() -%}
    ticdc_decode_storage_csv(key, value, options, table_schema, header)
{%- endmacro %}
