with

row_changes as (

    select * from {{ ref("int_ticdc__row_changes") }}

),

neighbours as (

    select
        *,
        lag(commit_ts) over one_row as last_commit_ts,
        lag(op) over one_row as last_op,
        lead(commit_ts) over one_row as next_commit_ts,
        lead(op) over one_row as next_op,
        lead(commit_ts, 2) over one_row as second_commit_ts,
        lead(op, 2) over one_row as second_op,
        lead(cause) over one_row as next_cause
    from row_changes
    -- what a DDL made of the columns of a row is the same row
    where cause <> 'new_columns'
    window one_row as (partition by {{ ticdc.row_key_columns() }} order by {{ ticdc.row_order() }})

),

table_lives as (

    {{ ticdc.table_lives() }}

),

intervals as (

    select
        neighbours.*,
        lives.current_schema_name,
        lives.current_table_name,
        lives.ended_by,
        lives.live_to_ts,
        greatest(neighbours.commit_ts, coalesce(lives.live_from_ts, 0)) as valid_from_ts,
        least(neighbours.next_commit_ts, lives.live_to_ts) as valid_to_ts
    from neighbours
    left join table_lives as lives
        on
            neighbours.feed = lives.feed
            and neighbours.table_id = lives.table_id
            and neighbours.table_incarnation = lives.table_incarnation
    where neighbours.after is not null

)

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
from intervals
-- changes of one commit leave no time between them
where valid_to_ts is null or valid_from_ts < valid_to_ts
