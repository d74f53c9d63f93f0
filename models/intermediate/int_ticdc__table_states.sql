{{ config(relation="table") }}
-- made of: {{ ticdc.fingerprint(ref("int_ticdc__table_versions")) if execute }}
-- depends_on: {{ ref("int_ticdc__changes") }}
{%- set moments = ticdc.shown_moments() %}

with

begun_versions as (

    select
        *,
        if(valid_to_ts <= {{ ticdc.shown_through("feed", moments) }}, valid_to_ts, null) as shown_to_ts,
        row_number() over of_incarnation as place,
        lag(valid_to_ts) over of_incarnation as last_to_ts
    from {{ ref("int_ticdc__table_versions") }}
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
        array_sort(collect_list(life)) as lives
    from lives
    group by feed, table_id, table_incarnation

)

select
    feed,
    table_id,
    table_incarnation,
    newest.schema_name,
    newest.table_name,
    newest_life.to_ts is null as is_live,
    newest.table_schema,
    newest.origin,
    newest.valid_from_ts,
    lives
from incarnations
