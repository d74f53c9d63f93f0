{% macro typed_properties() -%}
    tblproperties ('{{ ticdc.typed_mark().name }}' = '{{ ticdc.typed_mark().value }}')
{%- endmacro %}
