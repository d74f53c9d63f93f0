{# The query of `ticdc__row_history`, of changes with the columns of `int_ticdc__row_changes`; of the states of tables
   that are published unless others are given. #}
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
    {#- each version of each row, with the time that it was there and the change after it #}
    select
        neighbours.*,
        incarnations.current_schema_name,
        incarnations.current_table_name,
        incarnations.ended_by,
        incarnations.live_to_ts,
        greatest(neighbours.commit_ts, coalesce(incarnations.live_from_ts, 0)) as valid_from_ts,
        least(neighbours.next_commit_ts, incarnations.live_to_ts) as valid_to_ts
    from (
        select
            *,
            lag(commit_ts) over one_row as last_commit_ts,
            lag(op) over one_row as last_op,
            lead(commit_ts) over one_row as next_commit_ts,
            lead(op) over one_row as next_op,
            lead(commit_ts, 2) over one_row as second_commit_ts,
            lead(op, 2) over one_row as second_op,
            lead(cause) over one_row as next_cause
        from {{ row_changes }}
        -- what a DDL made of the columns of a row is the same row
        where cause not in ('new_columns', 'kept')
        window one_row as (partition by {{ ticdc.row_key_columns() }} order by {{ ticdc.row_order() }})
    ) as neighbours
    left join (
        {{ ticdc.incarnation_intervals(states) }}
    ) as incarnations
        on
            neighbours.feed = incarnations.feed
            and neighbours.table_id = incarnations.table_id
            and neighbours.table_incarnation = incarnations.table_incarnation
    where neighbours.after is not null
) as intervals
-- changes of one commit leave no time between them
where valid_to_ts is null or valid_from_ts < valid_to_ts
{%- endmacro %}

{# A query of when each incarnation of a table was there, as far as its feed is shown, with the name that the table has
   now. `live_to_ts` is NULL where it is still there. #}
{% macro incarnation_intervals(states=none) %}
    select
        feed,
        table_id,
        table_incarnation,
        schema_name as current_schema_name,
        table_name as current_table_name,
        each.from_ts as live_from_ts,
        each.to_ts as live_to_ts,
        each.ended_by
    from {{ states or ticdc.published_rows(ref("int_ticdc__table_states")) }} as table_states
    lateral view explode(lives) exploded as each
{% endmacro %}
