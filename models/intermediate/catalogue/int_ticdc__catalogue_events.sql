{{ config(materialized="ticdc_snapshot", partition_by=["batch_id"]) }}
{%- set seen, settled = ref("int_ticdc__seen_schemas"), ticdc.settled() -%}
{%- set is_of_package = settled.package == ticdc.views_key() -%}
{%- set is_told = is_of_package and not ticdc.has_news([seen], settled.run_id) -%}
{%- set told_run_id = settled.run_id if is_told else ticdc.run_id() | int -%}
{%- do ticdc.to_settle({"run_id": told_run_id, "package": ticdc.views_key()}) -%}
{%- set is_known = is_told or (is_of_package and ticdc.schemas_are_known(this, seen, settled.run_id)) -%}
{%- if is_known %}{% do ticdc.nothing_new() %}{% endif %}

with

seen_rows as (

    select * from {{ ticdc.live_rows(seen) }} as seen_schemas
    where kind = 'row'

),

told_by_messages as (

    select * from {{ ref("int_ticdc__events") }}
    where kind in ('ddl', 'bootstrap')

),

-- a bootstrap says nothing of when: after a RENAME it may have the old name, or the schema from before it
rows_of_bootstraps as (

    select
        feed,
        schema_name,
        table_name,
        table_schema_id,
        min(first_ts) as commit_ts
    from seen_rows
    group by feed, schema_name, table_name, table_schema_id

),

told as (

    select
        told_by_messages.*,
        coalesce(told_by_messages.commit_ts, rows_of_bootstraps.commit_ts, 0) as told_ts
    from told_by_messages
    left join rows_of_bootstraps
        on
            told_by_messages.kind = 'bootstrap'
            and told_by_messages.feed = rows_of_bootstraps.feed
            and told_by_messages.schema_name = rows_of_bootstraps.schema_name
            and told_by_messages.table_name = rows_of_bootstraps.table_name
            and told_by_messages.table_schema_id = rows_of_bootstraps.table_schema_id

),

names as (

    select distinct
        feed,
        schema_name,
        table_name
    from seen_rows

),

{{ ticdc.names_given_up("told_by_messages", "names") }},

told_rows as (

    select
        *,
        -- where TSOs hold only milliseconds, a row comes after a DDL of its own
        commit_ts + if(commit_ts_exact, 0, 1) as told_ts
    from {{ ref("int_ticdc__events") }}
    where kind = 'row'

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
        min(first_ts) as first_ts,
        bool_and(commit_ts_exact) as commit_ts_exact,
        min(table_schema) as table_schema,
        min(struct(first_ts, first_position)).first_position as first_position
    from seen_rows
    where has_schema
    group by feed, schema_name, table_name, table_schema_id

)

-- copies for other partitions and replays are one
select
    feed,
    told_ts as commit_ts,
    bool_and(commit_ts_exact) as commit_ts_exact,
    schema_name,
    table_name,
    ddl_query,
    min(ddl_type) as ddl_type,
    min(table_schema) as table_schema,
    min(if(kind = 'ddl', physical_table_id, null)) as physical_table_id,
    min(struct(topic, `partition`, `offset`, event_index)) as first_position,
    max(run_id) as run_id
from told
group by feed, schema_name, table_name, ddl_query, told_ts, if(ddl_query is null, table_schema_id, null)

union all

-- of a row's schema the first row tells
select
    feed,
    first_ts as commit_ts,
    commit_ts_exact,
    schema_name,
    table_name,
    cast(null as string) as ddl_query,
    cast(null as string) as ddl_type,
    table_schema,
    cast(null as bigint) as physical_table_id,
    first_position,
    cast(0 as bigint) as run_id
from row_schemas

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
    min(struct(later.told_ts, later.position)).position as first_position,
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
