{% macro open_protocol__decode_batch() -%}
    ticdc_decode_open_protocol(key, value, options)
{%- endmacro %}
