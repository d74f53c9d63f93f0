{% macro may_end_names() -%}
    {#- a CREATE TABLE tells of its key itself: that its text has a word of these is no reason to read the rows after it -#}
    lower(ddl_query) rlike 'rename|drop|(?s)^(?! *create +table ).*(primary|unique|modify|change)'
{%- endmacro %}
