{% macro debezium__decode() -%}
    ticdc_decode_debezium(key, value, options)
{%- endmacro %}
