with

catalogue as (

    select * from {{ ticdc.published_rows(ref("int_ticdc__catalogue")) }} as catalogue

),

statements as (

    select * from catalogue
    where record = 'statement'

),

moves as (

    select distinct
        feed,
        table_id,
        table_incarnation,
        commit_ts,
        schema_name,
        table_name
    from catalogue
    where record = 'move'

),

-- rows of a whole table that no message shows are not counted
untold_partitions as (

    select distinct
        feed,
        commit_ts
    from catalogue
    where record = 'problem' and code = 'unknown_partition'

),

moved_rows as (

    select
        feed,
        table_id,
        table_incarnation,
        commit_ts,
        count_if(op = 'delete') as rows_taken,
        count_if(
            (op = 'delete' or cause = 'kept') and exists(lossy, flag -> startswith(flag, '*:partition_'))
        ) as rows_uncertain
    from {{ ticdc.published_rows(ref("int_ticdc__carried_rows")) }} as carried_rows
    where cause <> 'new_columns'
    group by feed, table_id, table_incarnation, commit_ts

),

ended_tables as (

    select
        feed,
        table_id,
        table_incarnation,
        schema_name,
        table_name,
        element_at(lives, -1).to_ts as commit_ts
    from {{ ticdc.published_rows(ref("int_ticdc__table_states")) }} as table_states
    where element_at(lives, -1).ended_by in ('drop_database', 'drop_table', 'truncate_table')

),

rows_of_ended_tables as (

    select
        latest.feed,
        latest.table_id,
        latest.table_incarnation,
        count(*) as rows_taken
    from {{ ticdc.published_rows(ref("int_ticdc__latest")) }} as latest
    left semi join ended_tables
        on
            latest.feed = ended_tables.feed
            and latest.table_id = ended_tables.table_id
            and latest.table_incarnation = ended_tables.table_incarnation
    where latest.is_live
    group by latest.feed, latest.table_id, latest.table_incarnation

),

counted_tables as (

    select
        moves.feed,
        moves.commit_ts,
        moves.schema_name,
        moves.table_name,
        moved_rows.rows_taken,
        moved_rows.rows_uncertain
    from moves
    inner join moved_rows using (feed, table_id, table_incarnation, commit_ts)

    union all

    select
        ended_tables.feed,
        ended_tables.commit_ts,
        ended_tables.schema_name,
        ended_tables.table_name,
        rows_of_ended_tables.rows_taken,
        0 as rows_uncertain
    from ended_tables
    inner join rows_of_ended_tables using (feed, table_id, table_incarnation)

),

counted_statements as (

    select
        statements.feed,
        statements.topic,
        statements.`partition`,
        statements.`offset`,
        statements.event_index,
        sum(counted_tables.rows_taken) as rows_taken,
        sum(counted_tables.rows_uncertain) as rows_uncertain
    from statements
    inner join counted_tables
        on
            statements.feed = counted_tables.feed
            and statements.commit_ts = counted_tables.commit_ts
            and exists(
                statements.touched_tables,
                each -> lower(coalesce(each.schema_name, statements.schema_name))
                = lower(counted_tables.schema_name)
                and coalesce(lower(each.table_name) = lower(counted_tables.table_name), true)
            )
    group by
        statements.feed, statements.topic, statements.`partition`, statements.`offset`, statements.event_index

)

select
    statements.feed,
    statements.commit_ts,
    timestamp_millis(shiftright(statements.commit_ts, 18)) as commit_at,
    statements.schema_name,
    statements.table_name,
    statements.kind as ddl_kind,
    statements.touched_tables,
    coalesce(
        counted_statements.rows_taken,
        if(
            statements.kind in (
                'drop_database', 'drop_table', 'truncate_table', 'drop_partition', 'truncate_partition',
                'exchange_partition'
            ),
            0,
            null
        )
    ) as rows_taken,
    case
        when untold_partitions.feed is not null then null
        when statements.kind in ('drop_partition', 'truncate_partition', 'exchange_partition')
            then coalesce(counted_statements.rows_uncertain, 0)
    end as rows_uncertain,
    statements.ddl_type,
    statements.ddl_query,
    statements.topic,
    statements.`partition`,
    statements.`offset`,
    statements.event_index
from statements
left join counted_statements
    on
        statements.feed = counted_statements.feed
        and statements.topic = counted_statements.topic
        and statements.`partition` = counted_statements.`partition`
        and statements.`offset` = counted_statements.`offset`
        and statements.event_index = counted_statements.event_index
left join untold_partitions
    on statements.feed = untold_partitions.feed and statements.commit_ts = untold_partitions.commit_ts
