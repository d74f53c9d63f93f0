{#- who asks for a key reads a part of each file -#}
{% macro sorted_rows(rows, columns) -%}
    select * from ({{ rows }}){{ " sort by " ~ columns | join(", ") if columns }}
{%- endmacro %}
