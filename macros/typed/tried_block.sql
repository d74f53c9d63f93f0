{% macro tried_block(block) -%}
    begin declare exit handler for sqlexception set ticdc_refused = ticdc_refused || ' {{ block.place }}';
    {#- what cannot be parsed would else fail the whole script #}
    {%- for statement in block.statements %} execute immediate {{ ticdc.text_literal(statement) }};{% endfor %} end;
{%- endmacro %}
