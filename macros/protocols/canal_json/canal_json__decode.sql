{% macro canal_json__decode() -%}
    ticdc_decode_canal_json(key, value, options)
{%- endmacro %}
