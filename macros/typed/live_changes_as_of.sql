{% macro live_changes_as_of(table) -%}
    {%- set changes = ticdc.base_of(table, "as_of_function") -%}
    {%- set live_changes = "(select * from " ~ changes ~ " where live_from_ts <= tso and coalesce(live_to_ts > tso, true))" -%}
    select
        feed,
        table_id,
        table_incarnation,
        row_key,
        row,
        row_commit_ts as commit_ts,
        lossy
    from (
        {{ ticdc.changes_as_of("tso", live_changes) }}
    )
    where place = 1 and row is not null
{%- endmacro %}
