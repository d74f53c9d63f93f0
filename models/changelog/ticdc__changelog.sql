with

changes as (

    select
        *,
        max(op = 'delete' and commit_ts_exact) over one_commit as has_delete,
        max(op <> 'delete') over one_commit as has_successor,
        max(if(op = 'delete' and commit_ts_exact, before, null)) over one_commit as deleted_row,
        max(if(op = 'delete' and commit_ts_exact, lossy, null)) over one_commit as deleted_lossy
    from {{ ref("int_ticdc__changes") }}
    window one_commit as (
        partition by feed, table_id, table_incarnation, commit_ts, row_key
    )

)

select
    feed,
    schema_name,
    table_name,
    table_id,
    table_incarnation,
    commit_ts,
    commit_at,
    commit_ts_exact,
    if(commit_ts_exact and op = 'insert' and has_delete, 'update', op) as op,
    row_key,
    if(commit_ts_exact and has_delete, deleted_row, before) as before,
    after,
    if(commit_ts_exact and has_delete, array_union(deleted_lossy, lossy), lossy) as lossy,
    topic,
    `partition`,
    `offset`,
    event_index
from changes
-- TiCDC sends an update of a unique column as delete and insert: one commit changes a key once
where not (commit_ts_exact and op = 'delete' and has_successor)
