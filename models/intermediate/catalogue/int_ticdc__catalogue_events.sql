{{ config(materialized="ticdc_snapshot", partition_by=["batch_id"]) }}
-- made of: {{ ticdc.arrivals_key() }}
-- where TSOs hold only milliseconds, a row comes after a DDL of its own
{%- set of_row = "if(events.kind = 'row' and not events.commit_ts_exact, 1, 0)" %}

with

events as (

    select * from {{ ref("int_ticdc__events") }}
    where kind in ('ddl', 'bootstrap') or (kind = 'row' and table_schema is not null and claim_check is null)

    union all

    select
        * except (batch_id, protocol),
        protocol
    from {{ ticdc.live_rows(ref("int_ticdc__claim_checks")) }} as claim_checks
    where kind = 'row' and table_schema is not null

),

bootstraps as (

    select distinct
        feed,
        schema_name,
        table_name,
        table_schema_id
    from {{ ref("int_ticdc__events") }}
    where kind = 'bootstrap'

),

-- a bootstrap says nothing of when: after a RENAME it may have the old name, or the schema from before it
rows_of_bootstraps as (

    select /*+ broadcast(bootstraps) */
        events.feed,
        events.schema_name,
        events.table_name,
        events.table_schema_id,
        min(events.commit_ts) as commit_ts
    from {{ ref("int_ticdc__events") }} as events
    inner join bootstraps
        on
            events.feed = bootstraps.feed
            and events.schema_name = bootstraps.schema_name
            and events.table_name = bootstraps.table_name
            and events.table_schema_id = bootstraps.table_schema_id
    where events.kind = 'row'
    group by events.feed, events.schema_name, events.table_name, events.table_schema_id

),

told as (

    select
        events.*,
        coalesce(events.commit_ts, rows_of_bootstraps.commit_ts, 0) + {{ of_row }} as told_ts,
        if(events.kind = 'row', null, events.ddl_query) as query
    from events
    left join rows_of_bootstraps
        on
            events.kind = 'bootstrap'
            and events.feed = rows_of_bootstraps.feed
            and events.schema_name = rows_of_bootstraps.schema_name
            and events.table_name = rows_of_bootstraps.table_name
            and events.table_schema_id = rows_of_bootstraps.table_schema_id

),

-- what may give a name up, bring a table back, or move its key
ends as (

    select
        feed,
        schema_name,
        table_name,
        commit_ts,
        lower(ddl_query) as ddl_text,
        lower(ltrim(ddl_query)) like any ('drop database%', 'drop schema%') as is_of_database,
        lower(ddl_query) like '%rename%' as is_rename
    from {{ ref("int_ticdc__events") }}
    where kind = 'ddl' and lower(ddl_query) rlike 'rename|drop|primary|unique|modify|change'

),

names as (

    select distinct
        feed,
        schema_name,
        table_name
    from {{ ref("int_ticdc__events") }}
    where kind = 'row' and feed in (select ends.feed from ends)

),

-- the message of a RENAME bears the new name: any name in its text may be the one given up
names_given_up as (

    select
        names.feed,
        names.schema_name,
        names.table_name,
        collect_set(ends.commit_ts) as commits
    from names
    inner join ends
        on
            names.feed = ends.feed
            and case
                when ends.is_of_database
                    then contains(ends.ddl_text, lower(replace(names.schema_name, '`', '``')))
                when ends.is_rename
                    then contains(ends.ddl_text, lower(replace(names.table_name, '`', '``')))
                else names.schema_name = ends.schema_name and names.table_name = ends.table_name
            end
    group by names.feed, names.schema_name, names.table_name

),

told_rows as (

    select
        events.*,
        events.commit_ts + {{ of_row }} as told_ts
    from {{ ref("int_ticdc__events") }} as events
    where events.kind = 'row'

),

rows_after_ends as (

    select /*+ broadcast(names_given_up) */
        later.feed,
        later.schema_name,
        later.table_name,
        later.table_schema_id,
        later.told_ts,
        later.commit_ts_exact,
        struct(later.topic, later.`partition`, later.`offset`, later.event_index) as position,
        size(filter(names_given_up.commits, each -> each < later.told_ts)) as ends_before
    from told_rows as later
    inner join names_given_up
        on
            later.feed = names_given_up.feed
            and later.schema_name = names_given_up.schema_name
            and later.table_name = names_given_up.table_name
    where later.told_ts > array_min(names_given_up.commits)

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
    min(if(kind = 'ddl', physical_table_id, null)) as physical_table_id,
    min(struct(topic, `partition`, `offset`, event_index)) as first_position,
    max(if(kind = 'row', 0, run_id)) as run_id
from told
group by
    feed, schema_name, table_name, query,
    if(kind = 'row', null, told_ts),
    if(kind = 'row' or query is null, table_schema_id, null)

union all

-- the first rows after it tell that a table bears the name again, and its key
select
    later.feed,
    min(later.told_ts) as commit_ts,
    bool_and(later.commit_ts_exact) as commit_ts_exact,
    later.schema_name,
    later.table_name,
    cast(null as string) as ddl_query,
    cast(null as string) as ddl_type,
    min(row_schemas.table_schema) as table_schema,
    cast(null as bigint) as physical_table_id,
    min(later.position) as first_position,
    cast(0 as bigint) as run_id
from rows_after_ends as later
left join row_schemas
    on
        later.feed = row_schemas.feed
        and later.schema_name = row_schemas.schema_name
        and later.table_name = row_schemas.table_name
        and later.table_schema_id = row_schemas.table_schema_id
group by later.feed, later.schema_name, later.table_name, later.table_schema_id, later.ends_before
{%- for load in ticdc.initial_loads(ref("int_ticdc__exported_rows")) %}

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
    cast(null as bigint) as physical_table_id,
    cast(null as struct<topic: string, `partition`: int, `offset`: bigint, event_index: int>) as first_position,
    cast(0 as bigint) as run_id
{%- endfor %}
