with

events as (

    select * from {{ ref("int_ticdc__events") }}
    where kind in ('ddl', 'bootstrap') or (kind = 'row' and table_schema is not null and claim_check is null)

    union all

    select
        * except (protocol),
        protocol
    from {{ ref("int_ticdc__claim_checks") }}
    where kind = 'row' and table_schema is not null

),

told as (

    select
        *,
        coalesce(commit_ts, 0) as told_ts,
        if(kind = 'row', null, ddl_query) as query
    from events

)

-- copies for other partitions and replays are one; of a row's schema the first row tells
select
    feed,
    min(told_ts) as commit_ts,
    bool_and(commit_ts_exact) as commit_ts_exact,
    schema_name,
    table_name,
    query as ddl_query,
    min(ddl_type) as ddl_type,
    min(table_schema) as table_schema,
    min(struct(topic, `partition`, `offset`, event_index)) as first_position,
    max(if(kind = 'row', 0, run_id)) as run_id
from told
group by
    feed, schema_name, table_name, query,
    if(kind = 'row', null, told_ts),
    if(kind = 'row' or query is null, table_schema_id, null)
