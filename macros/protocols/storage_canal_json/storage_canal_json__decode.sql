{% macro storage_canal_json__decode() -%}
    ticdc_decode_storage_canal_json(key, value, options)
{%- endmacro %}
