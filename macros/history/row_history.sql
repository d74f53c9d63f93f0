{% macro row_history(row_changes, states=none) -%}
{#- subqueries: Spark analyses a CTE once more wherever a view is read -#}
select
    feed,
    coalesce(current_schema_name, schema_name) as schema_name,
    coalesce(current_table_name, table_name) as table_name,
    table_id,
    table_incarnation,
    row_key,
    after as row,
    row_commit_ts as commit_ts,
    timestamp_millis(shiftright(row_commit_ts, 18)) as commit_at,
    -- TiCDC sends an update of a unique column as delete and insert
    if(
        op = 'insert' and commit_ts_exact and last_op = 'delete' and last_commit_ts = commit_ts, 'update', op
    ) as op,
    valid_from_ts,
    valid_to_ts,
    timestamp_millis(shiftright(valid_from_ts, 18)) as valid_from_at,
    timestamp_millis(shiftright(valid_to_ts, 18)) as valid_to_at,
    case
        when valid_to_ts is null then null
        when live_to_ts = valid_to_ts then ended_by
        when next_cause <> 'message' then next_cause
        when next_op <> 'delete' then 'update'
        when second_op = 'insert' and commit_ts_exact and second_commit_ts = next_commit_ts then 'update'
        else 'delete'
    end as closed_by,
    lossy
from (
    {{ ticdc.row_intervals(row_changes, states) }}
) as intervals
-- changes of one commit leave no time between them
where valid_to_ts is null or valid_from_ts < valid_to_ts
{%- endmacro %}
