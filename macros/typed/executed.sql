{% macro executed(statements) -%}
    {%- for statement in statements %} execute immediate {{ ticdc.text_literal(statement) }};{% endfor %}
{%- endmacro %}
