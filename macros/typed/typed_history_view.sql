{% macro typed_history_view(table) %}
    {%- set carried = ["row_key", "valid_from_ts", "valid_to_ts", "valid_from_at", "valid_to_at", "op", "closed_by"] -%}
    {%- set past = ticdc.past_table(table, "valid_from_ts") -%}
    {%- set rows = "(" ~ ticdc.row_history(ticdc.changes_of_table(table)) ~ ")" -%}
    select
        {{ ticdc.named_columns(past, carried) }}
    from (
        {{ ticdc.typed_rows(past, rows, [], carried, "valid_from_ts") }}
    )
{% endmacro %}
