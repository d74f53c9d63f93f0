{% macro typed_history_view(table) %}
    {%- set carried = ["row_key", "valid_from_ts", "valid_to_ts", "valid_from_at", "valid_to_at", "op", "closed_by"] -%}
    {%- set past = dict(table, columns=table.past_columns or table.columns) -%}
    {%- set rows = "(" ~ ticdc.row_history(ticdc.changes_of_table(table)) ~ ")" -%}
    select
        {{ ticdc.named_columns(past, carried) }}
    from (
        {{ ticdc.typed_rows(past, rows, [], carried, "valid_from_ts") }}
    )
{% endmacro %}
