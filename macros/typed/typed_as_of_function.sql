{% macro typed_as_of_function(table) %}
    {%- set mark = ticdc.typed_mark() -%}
    {%- set past = ticdc.past_table(table, "tso") -%}
    create or replace function {{ table.relations.as_of_function }}(tso bigint) returns table
    comment '{{ mark.name }}={{ mark.value }}' return
    select
        {{ ticdc.named_columns(past, ["commit_ts"]) }}
    from (
        {{ ticdc.typed_rows(past, "(" ~ ticdc.rows_as_of("tso") ~ ")", [], ["row_key"], "tso") }}
    )
{% endmacro %}
