{% macro typed_as_of_function(table) %}
    {%- set past = ticdc.past_table(table, "tso") -%}
    select
        {{ ticdc.named_columns(past, ["commit_ts"]) }}
    from (
        {{ ticdc.typed_rows(past, "(" ~ ticdc.rows_as_of("tso") ~ ")", [], ["row_key"], "tso") }}
    )
{% endmacro %}
