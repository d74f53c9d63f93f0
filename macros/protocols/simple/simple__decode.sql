{% macro simple__decode() -%}
    ticdc_decode_simple(key, value, options)
{%- endmacro %}
