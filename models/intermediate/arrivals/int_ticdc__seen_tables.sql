{{
    config(
        materialized="ticdc_append",
        partition_by=["batch_id"],
        facts="select coalesce(bool_or(" ~ ticdc.may_end_names() ~ "), false) as some_end_names from {rows}",
    )
}}
{%- set claim_checks = ref("int_ticdc__claim_checks") -%}
{%- set settled, marks = ticdc.settled(), ticdc.facts(ref("int_ticdc__staged_runs")) -%}
{%- set redriven = marks.get("redriven_run_id") -%}
{%- set is_idle = not ticdc.has_news(ticdc.arrival_tables(), settled.run_id) -%}
{#- a re-drive puts other events in the place of some that were seen -#}
{%- set is_rebuild = redriven != settled.get("redriven", redriven) -%}
{%- set settles = settled if is_idle else {"run_id": ticdc.run_id() | int, "redriven": redriven} %}
{{ ticdc.takes(settles, is_idle=is_idle, is_rebuild=is_rebuild and not is_idle) }}
with

arrived as (

    select
        * except (table_schema),
        -- of a row that lies in a file, the file tells
        if(claim_check is null, table_schema, null) as table_schema
    from {{ ref("int_ticdc__events") }}
    {%- if ticdc.facts(claim_checks).get("has_rows", true) %}

    union all

    select
        * except (batch_id, protocol, table_schema),
        protocol,
        table_schema
    from {{ ticdc.rows_of(claim_checks) }} as claim_checks
    where table_schema is not null
    {%- endif %}

),

events as (

    select
        *,
        table_schema is not null as has_schema,
        if(kind = 'row', null, commit_ts) as message_ts,
        -- where TSOs hold only milliseconds, a row comes after a DDL of its own
        commit_ts + if(kind = 'row' and not commit_ts_exact, 1, 0) as told_ts
    from arrived
    where run_id > {{ 0 if is_rebuild else settled.run_id }} and kind in ('row', 'ddl', 'bootstrap')

),

-- numbers alone, as Spark sorts all rows where it is to find the least text
first_commits as (

    select
        feed,
        kind,
        schema_name,
        table_name,
        table_schema_id,
        has_schema,
        message_ts,
        ddl_query,
        min(told_ts) as first_ts,
        bool_and(commit_ts_exact) as commit_ts_exact
    from events
    group by feed, kind, schema_name, table_name, table_schema_id, has_schema, message_ts, ddl_query

),

-- of all columns that the join has, and without a condition that it adds: Spark reads the rows once for both
last_first as (

    select max(if(kind = 'row' and commit_ts_exact is not null, first_ts, null)) as commit_ts
    from first_commits

),

-- Parquet passes over files and pages by these conditions: over most where no table begins late
first_events as (

    select *
    from events
    where
        kind in ('ddl', 'bootstrap')
        or commit_ts is null
        or commit_ts <= (select last_first.commit_ts from last_first)

)

select /*+ broadcast(first_commits) */
    events.feed,
    events.kind,
    events.schema_name,
    events.table_name,
    events.table_schema_id,
    events.has_schema,
    events.message_ts,
    events.ddl_query,
    min(events.ddl_type) as ddl_type,
    min(if(events.kind = 'ddl', events.physical_table_id, null)) as physical_table_id,
    first_commits.first_ts,
    first_commits.commit_ts_exact,
    min(struct(events.topic, events.`partition`, events.`offset`, events.event_index)) as first_position,
    min(events.table_schema) as table_schema,
    {{ ticdc.run_id() }} as run_id
from first_events as events
inner join first_commits
    on
        events.feed <=> first_commits.feed
        and events.kind <=> first_commits.kind
        and events.schema_name <=> first_commits.schema_name
        and events.table_name <=> first_commits.table_name
        and events.table_schema_id <=> first_commits.table_schema_id
        and events.has_schema <=> first_commits.has_schema
        and events.message_ts <=> first_commits.message_ts
        and events.ddl_query <=> first_commits.ddl_query
        and events.told_ts <=> first_commits.first_ts
group by
    events.feed,
    events.kind,
    events.schema_name,
    events.table_name,
    events.table_schema_id,
    events.has_schema,
    events.message_ts,
    events.ddl_query,
    first_commits.first_ts,
    first_commits.commit_ts_exact
