{{ config(materialized="ticdc_snapshot", partition_by=["batch_id"]) }}

with

versions as (

    select * from {{ ticdc.rows_of(ref("int_ticdc__table_versions")) }} as table_versions

),

effects as (

    select * from {{ ticdc.rows_of(ref("int_ticdc__catalogue")) }} as catalogue
    where record = 'effect'

),

lineages as (

    {{ ticdc.lineages() }}

),

effects_with_tables as (

    select
        effects.feed,
        effects.commit_ts as moment_ts,
        effects.kind as cause,
        effects.partitioning,
        transform(
            from_json(effects.partitions, 'array<struct<name: string>>'), each -> lower(each.name)
        ) as partition_names,
        struct(home.table_id, home.table_incarnation, home.valid_from_ts, home.columns) as home,
        struct(away.table_id, away.table_incarnation, away.valid_from_ts, away.columns) as away
    from effects
    inner join versions as home
        on
            effects.feed = home.feed
            and effects.table_id = home.table_id
            and effects.incarnation = home.table_incarnation
            and effects.commit_ts > home.valid_from_ts
            and effects.commit_ts <= coalesce(home.valid_to_ts, effects.commit_ts)
    left join versions as away
        on
            effects.feed = away.feed
            and effects.counterpart_table_id = away.table_id
            and effects.counterpart_incarnation = away.table_incarnation
            and effects.commit_ts > away.valid_from_ts
            and effects.commit_ts <= coalesce(away.valid_to_ts, effects.commit_ts)

),

moves as (

    select
        feed,
        valid_from_ts as moment_ts,
        'key_change' as cause,
        cast(null as string) as partitioning,
        cast(null as array<string>) as partition_names,
        struct(table_id, table_incarnation, valid_from_ts, columns) as home,
        struct(table_id, table_incarnation, valid_from_ts, columns) as away
    from versions
    where row_effect = 'key'

    union all

    select * from effects_with_tables

    union all

    -- all rows of a table that was exchanged go into the partition
    select
        feed,
        moment_ts,
        cause,
        cast(null as string) as partitioning,
        cast(null as array<string>) as partition_names,
        away as home,
        home as away
    from effects_with_tables
    where away.table_id is not null

)

select
    moves.feed,
    moves.home.table_id,
    moves.home.table_incarnation,
    moves.moment_ts,
    moves.cause,
    moves.partitioning,
    moves.partition_names,
    moves.home.valid_from_ts as version_from_ts,
    moves.home.columns,
    moves.away.table_id as to_table_id,
    moves.away.table_incarnation as to_incarnation,
    moves.away.valid_from_ts as to_version_from_ts,
    moves.away.columns as to_columns,
    lineages.versions
from moves
inner join lineages
    on
        moves.feed = lineages.feed
        and moves.home.table_id = lineages.table_id
        and moves.home.table_incarnation = lineages.table_incarnation
