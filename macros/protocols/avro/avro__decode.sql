{% macro avro__decode() -%}
    ticdc_decode_avro(key, value, options, key_schema, value_schema)
{%- endmacro %}
