{% macro live_rows(relation) -%}
    {%- if relation.schema is none -%}
    {{ relation }}
    {%- else -%}
    {{ ticdc.rows_by_view(relation, ref("int_ticdc__run")) }}
    {%- endif -%}
{%- endmacro %}
