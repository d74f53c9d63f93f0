{% macro copy_key(row_key, copy) -%}
    {#- no column of TiDB has an empty name -#}
    if({{ copy }} > 1, left({{ row_key }}, length({{ row_key }}) - 1) || ',"":"' || {{ copy }} || '"}', {{ row_key }})
{%- endmacro %}
