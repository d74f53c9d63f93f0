{{ config(materialized="ticdc_snapshot", partition_by=["batch_id"]) }}
-- depends_on: {{ ref("int_ticdc__changes") }}
{%- set moments = ticdc.shown_moments() %}

with

begun_versions as (

    select
        *,
        if(valid_to_ts <= {{ ticdc.shown_through("feed", moments) }}, valid_to_ts, null) as shown_to_ts,
        row_number() over of_incarnation as place,
        lag(valid_to_ts) over of_incarnation as last_to_ts
    from {{ ticdc.rows_of(ref("int_ticdc__table_versions")) }} as table_versions
    where valid_from_ts <= {{ ticdc.shown_through("feed", moments) }}
    window of_incarnation as (
        partition by feed, table_id, table_incarnation order by valid_from_ts, valid_to_ts nulls last
    )

),

numbered_versions as (

    select
        *,
        count_if(valid_from_ts > last_to_ts) over (
            partition by feed, table_id, table_incarnation order by place
        ) as life_number
    from begun_versions

),

lives as (

    select
        feed,
        table_id,
        table_incarnation,
        life_number,
        struct(
            min(valid_from_ts) as from_ts,
            max_by(shown_to_ts, place) as to_ts,
            max_by(ended_by, place) as ended_by
        ) as life,
        max_by(struct(schema_name, table_name, table_schema, origin, valid_from_ts), place) as newest
    from numbered_versions
    group by feed, table_id, table_incarnation, life_number

),

incarnations as (

    select
        feed,
        table_id,
        table_incarnation,
        max_by(newest, life_number) as newest,
        max_by(life, life_number) as newest_life,
        array_sort(collect_list(life)) as lives,
        lead(min(life.from_ts)) over (partition by feed, table_id order by table_incarnation) as next_from_ts
    from lives
    group by feed, table_id, table_incarnation

),

-- what came back under another name is another table from where its lineage went on without it
left_behind as (

    select
        feed,
        table_id,
        collect_list(struct(table_incarnation as incarnation, next_from_ts as at_ts)) as incarnations
    from incarnations
    where exists(lives, life -> life.from_ts >= next_from_ts)
    group by feed, table_id

),

pasts as (

    select
        tables.feed,
        tables.table_id,
        tables.table_incarnation,
        array_sort(collect_list(struct(versions.valid_from_ts as from_ts, versions.table_schema))) as versions
    from incarnations as tables
    inner join incarnations
        on
            tables.feed = incarnations.feed
            and tables.table_id = incarnations.table_id
            and tables.table_incarnation >= incarnations.table_incarnation
    inner join begun_versions as versions
        on
            incarnations.feed = versions.feed
            and incarnations.table_id = versions.table_id
            and incarnations.table_incarnation = versions.table_incarnation
            and (
                tables.table_incarnation = versions.table_incarnation
                or incarnations.next_from_ts > versions.valid_from_ts
            )
    group by tables.feed, tables.table_id, tables.table_incarnation

)

select
    incarnations.feed,
    incarnations.table_id,
    incarnations.table_incarnation,
    incarnations.newest.schema_name,
    incarnations.newest.table_name,
    incarnations.newest_life.to_ts is null as is_live,
    incarnations.newest.table_schema,
    incarnations.newest.origin,
    incarnations.newest.valid_from_ts,
    incarnations.lives,
    pasts.versions,
    filter(
        coalesce(left_behind.incarnations, array()), each -> each.incarnation < incarnations.table_incarnation
    ) as left_behind
from incarnations
inner join pasts
    on
        incarnations.feed = pasts.feed
        and incarnations.table_id = pasts.table_id
        and incarnations.table_incarnation = pasts.table_incarnation
left join left_behind on incarnations.feed = left_behind.feed and incarnations.table_id = left_behind.table_id
