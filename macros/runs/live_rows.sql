{% macro live_rows(relation) -%}
    {{ ticdc.rows_by_view(relation, "int_ticdc__run") }}
{%- endmacro %}
