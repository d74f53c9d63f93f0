{% macro typed_history_view(table) %}
    {%- set carried = ["row_key", "valid_from_ts", "valid_to_ts", "valid_from_at", "valid_to_at", "op", "closed_by"] -%}
    create or replace view {{ table.history_relation }} as
    select
        {{ ticdc.named_columns(table, carried) }}
    from (
        {{ ticdc.typed_rows(table, ref("ticdc__row_history"), [], carried, true) }}
    )
{% endmacro %}
