{% macro open_protocol__decode() -%}
    ticdc_decode_open_protocol(key, value, options)
{%- endmacro %}
