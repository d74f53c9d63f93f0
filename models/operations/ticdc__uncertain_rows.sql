with

doubted_rows as (

    select
        feed,
        table_id,
        table_incarnation,
        commit_ts,
        row_key,
        before as row,
        op = 'delete' as is_taken,
        lossy
    from {{ ticdc.published_rows(ref("int_ticdc__carried_rows")) }} as carried_rows
    where
        (op = 'delete' or cause = 'kept')
        and exists(lossy, flag -> startswith(flag, '*:partition_'))

),

moves as (

    select
        feed,
        table_id,
        table_incarnation,
        commit_ts,
        schema_name,
        table_name,
        kind
    from {{ ticdc.published_rows(ref("int_ticdc__catalogue")) }} as catalogue
    where record = 'move' and kind <> 'key_change'

),

-- under another key or in another table a row in doubt goes on
moved_rows as (

    select distinct
        feed,
        table_id,
        table_incarnation,
        row_key,
        commit_ts
    from {{ ticdc.published_rows(ref("int_ticdc__carried_rows")) }} as carried_rows
    where op = 'delete' and cause in ('key_change', 'exchange_partition')

),

newest_rows as (

    select
        feed,
        table_id,
        table_incarnation,
        row_key,
        commit_ts,
        row_commit_ts,
        is_live
    from {{ ticdc.published_rows(ref("int_ticdc__latest")) }} as latest

),

live_tables as (

    select
        feed,
        table_id,
        table_incarnation
    from {{ ticdc.published_rows(ref("int_ticdc__table_states")) }} as table_states
    where is_live

)

select
    doubted_rows.feed,
    moves.schema_name,
    moves.table_name,
    doubted_rows.table_id,
    doubted_rows.table_incarnation,
    doubted_rows.commit_ts,
    timestamp_millis(shiftright(doubted_rows.commit_ts, 18)) as commit_at,
    moves.kind as ddl_kind,
    doubted_rows.row_key,
    doubted_rows.row,
    doubted_rows.is_taken,
    doubted_rows.lossy,
    live_tables.feed is null
    or coalesce(
        newest_rows.row_commit_ts > doubted_rows.commit_ts
        or (
            newest_rows.commit_ts > doubted_rows.commit_ts
            and not newest_rows.is_live
            and moved_rows.commit_ts is null
        ),
        false
    ) as is_settled
from doubted_rows
inner join moves
    on
        doubted_rows.feed = moves.feed
        and doubted_rows.table_id = moves.table_id
        and doubted_rows.table_incarnation = moves.table_incarnation
        and doubted_rows.commit_ts = moves.commit_ts
left join newest_rows
    on
        doubted_rows.feed = newest_rows.feed
        and doubted_rows.table_id = newest_rows.table_id
        and doubted_rows.table_incarnation = newest_rows.table_incarnation
        and doubted_rows.row_key = newest_rows.row_key
left join moved_rows
    on
        newest_rows.feed = moved_rows.feed
        and newest_rows.table_id = moved_rows.table_id
        and newest_rows.table_incarnation = moved_rows.table_incarnation
        and newest_rows.row_key = moved_rows.row_key
        and newest_rows.commit_ts = moved_rows.commit_ts
left join live_tables
    on
        doubted_rows.feed = live_tables.feed
        and doubted_rows.table_id = live_tables.table_id
        and doubted_rows.table_incarnation = live_tables.table_incarnation
