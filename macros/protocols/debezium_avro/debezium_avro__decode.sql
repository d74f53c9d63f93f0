{% macro debezium_avro__decode() -%}
    ticdc_decode_debezium_avro(key, value, options, key_schema, value_schema)
{%- endmacro %}
