{%- set rows = ticdc.published_rows(ref("int_ticdc__latest")) -%}

with

current_rows as (

    {{ ticdc.merged_generations(rows, ticdc.row_key_columns(), "row is null") }}

),

tables as (

    select * from {{ ticdc.published_rows(ref("int_ticdc__table_states")) }} as table_states

)

select /*+ broadcast(tables) */
    current_rows.feed,
    coalesce(tables.schema_name, current_rows.schema_name) as schema_name,
    coalesce(tables.table_name, current_rows.table_name) as table_name,
    current_rows.table_id,
    current_rows.table_incarnation,
    current_rows.row_key,
    current_rows.row,
    current_rows.row_commit_ts as commit_ts,
    timestamp_millis(shiftright(current_rows.row_commit_ts, 18)) as commit_at,
    current_rows.lossy
from current_rows
left join tables
    on
        current_rows.feed = tables.feed
        and current_rows.table_id = tables.table_id
        and current_rows.table_incarnation = tables.table_incarnation
-- the rows of a table that was dropped or truncated are gone
where coalesce(tables.is_live, true)
