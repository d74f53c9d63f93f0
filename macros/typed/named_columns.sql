{% macro named_columns(table, carried) %}
    {%- set names = table.columns | map(attribute="name") | map("lower") | list -%}
    {% for column in table.columns -%}
    {{ column.stored_as }} as {{ ticdc.identifier(column.name) }},
    {% endfor -%}
    {% for column in carried + ["lossy"] -%}
    {{ column }} as {{ ticdc.free_name("_" ~ column, names) }}{{ "," if not loop.last }}
    {% endfor -%}
{% endmacro %}
