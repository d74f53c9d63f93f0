{# Gives SQL of the catalogue's records of a kind, as this run has them. #}
{% macro catalogue_records(record) -%}
    (select * from {{ ticdc.rows_of(ref("int_ticdc__catalogue")) }} as catalogue where record = '{{ record }}')
{%- endmacro %}

{# Gives the condition that a DDL, of the column `ddl_query`, may give up a name, bring a table back or move its key.
   #}
{% macro may_end_names() -%}
    {#- a CREATE TABLE tells of its key itself: that its text has a word of these is no reason to read the rows after
        it -#}
    lower(ddl_query) rlike 'rename|drop|(?s)^(?! *create +table ).*(primary|unique|modify|change)'
{%- endmacro %}
