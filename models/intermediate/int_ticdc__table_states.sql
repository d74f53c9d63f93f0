-- depends_on: {{ ref("int_ticdc__changes") }}
with

begun_versions as (

    select
        *,
        coalesce(valid_to_ts > {{ ticdc.shown_through("feed") }}, true) as is_live,
        row_number() over (
            partition by feed, table_id, table_incarnation order by valid_from_ts desc
        ) as place
    from {{ ref("int_ticdc__table_versions") }}
    where valid_from_ts <= {{ ticdc.shown_through("feed") }}

)

select
    feed,
    table_id,
    table_incarnation,
    schema_name,
    table_name,
    is_live,
    table_schema,
    origin,
    valid_from_ts
from begun_versions
where place = 1
