{% macro image_of(type) -%}
    {#- a column may have the name that Spark gives what it cannot read, and a cell more than the 20,000,000 characters it reads -#}
    from_json(row, {{ ticdc.text_literal(type) }}, map('columnNameOfCorruptRecord', '', 'maxStringLen', '2147483647'))
{%- endmacro %}
