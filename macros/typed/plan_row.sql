{% macro plan_row(row) -%}
    (
        {%- for value in row.values() -%}
        {{ "null" if value is none else value if value is number else ticdc.text_literal(value) }}{{ ", " if not loop.last }}
        {%- endfor -%}
    )
{%- endmacro %}
