{% macro relation_statement(change, query, stands) -%}
    {%- set mark = ticdc.typed_mark() -%}
    {%- if change.kind == "as_of_function" -%}
    create or replace function {{ change.relation }}(tso bigint) returns table comment '{{ mark.name }}={{ mark.value }}' return {{ query }}
    {%- elif stands -%}
    {#- `create or replace view` drops the view first, so that readers would miss it -#}
    alter view {{ change.relation }} as {{ query }}
    {%- else -%}
    create view {{ change.relation }} {{ ticdc.typed_properties() }} as {{ query }}
    {%- endif -%}
{%- endmacro %}
