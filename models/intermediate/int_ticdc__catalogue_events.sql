-- where TSOs hold only milliseconds, a row comes after a DDL of its own
{%- set of_row = "if(kind = 'row' and not commit_ts_exact, 1, 0)" %}

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
        coalesce(commit_ts, 0) + {{ of_row }} as told_ts,
        if(kind = 'row', null, ddl_query) as query
    from events

),

-- what may bring a table back, or move its key
moves as (

    select
        feed,
        schema_name,
        table_name,
        collect_set(commit_ts) as commits
    from {{ ref("int_ticdc__events") }}
    where kind = 'ddl' and lower(ddl_query) rlike 'drop|primary|unique|modify|change'
    group by feed, schema_name, table_name

),

told_rows as (

    select
        *,
        commit_ts + {{ of_row }} as told_ts
    from {{ ref("int_ticdc__events") }}
    where kind = 'row'

),

rows_after_moves as (

    select /*+ broadcast(moves) */
        later.feed,
        later.schema_name,
        later.table_name,
        later.table_schema_id,
        later.told_ts,
        later.commit_ts_exact,
        struct(later.topic, later.`partition`, later.`offset`, later.event_index) as position,
        size(filter(moves.commits, each -> each < later.told_ts)) as moves_before
    from told_rows as later
    inner join moves
        on
            later.feed = moves.feed
            and later.schema_name = moves.schema_name
            and later.table_name = moves.table_name
    where later.told_ts > array_min(moves.commits)

),

row_schemas as (

    select
        feed,
        schema_name,
        table_name,
        table_schema_id,
        min(table_schema) as table_schema
    from events
    where kind = 'row'
    group by feed, schema_name, table_name, table_schema_id

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

union all

-- the first rows after it tell that their table is there again, and its key
select
    later.feed,
    min(later.told_ts) as commit_ts,
    bool_and(later.commit_ts_exact) as commit_ts_exact,
    later.schema_name,
    later.table_name,
    cast(null as string) as ddl_query,
    cast(null as string) as ddl_type,
    min(row_schemas.table_schema) as table_schema,
    min(later.position) as first_position,
    cast(0 as bigint) as run_id
from rows_after_moves as later
left join row_schemas
    on
        later.feed = row_schemas.feed
        and later.schema_name = row_schemas.schema_name
        and later.table_name = row_schemas.table_name
        and later.table_schema_id = row_schemas.table_schema_id
group by later.feed, later.schema_name, later.table_name, later.table_schema_id, later.moves_before
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
