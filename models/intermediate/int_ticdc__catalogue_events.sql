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
{%- for load in ticdc.initial_loads() %}

union all

select
    {{ ticdc.text_literal(load.feed) }} as feed,
    cast({{ load.commit_ts }} as bigint) as commit_ts,
    true as commit_ts_exact,
    {{ ticdc.text_literal(load.schema) }} as schema_name,
    {{ ticdc.text_literal(load.table) }} as table_name,
    cast(null as string) as ddl_query,
    'initial_load' as ddl_type,
    cast(null as string) as table_schema,
    cast(null as struct<topic: string, `partition`: int, `offset`: bigint, event_index: int>) as first_position,
    cast(0 as bigint) as run_id
{%- endfor %}
