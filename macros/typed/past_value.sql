{% macro past_value(column) -%}
    {#- a struct has no two fields that differ in case alone -#}
    {%- set others = (column.spellings or [])[1:] -%}
    {{ "coalesce(" if others }}image.{{ ticdc.identifier(column.name) }}
    {%- for spelling in others %}, try_element_at({{ ticdc.image_of("map<string, string>") }}, {{ ticdc.text_literal(spelling) }}){% endfor -%}
    {{ ")" if others }}
{%- endmacro %}
