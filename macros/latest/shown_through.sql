{% macro shown_through(feed, bounds=none) -%}
    {%- set bounds = ticdc.settled(ref("int_ticdc__changes")).bounds if bounds is none else bounds -%}
    {%- if bounds -%}
    case {{ feed }}
        {%- for name, bound in bounds.items() %}
        when {{ ticdc.text_literal(name) }} then {{ bound }}
        {%- endfor %}
        else {{ 2 ** 63 - 1 }}
    end
    {%- else -%}
    {{ 2 ** 63 - 1 }}
    {%- endif -%}
{%- endmacro %}
