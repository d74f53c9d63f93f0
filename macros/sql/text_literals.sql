{% macro text_literals(texts) -%}
    {%- for text in texts %}{{ ticdc.text_literal(text) }}{{ ", " if not loop.last }}{% endfor -%}
{%- endmacro %}
