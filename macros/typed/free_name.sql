{% macro free_name(name, taken) -%}
    {{ ticdc.free_name("_" ~ name, taken) if name in taken else ticdc.identifier(name) }}
{%- endmacro %}
