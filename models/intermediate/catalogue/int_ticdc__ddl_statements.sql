{{ config(materialized="ticdc_snapshot", partition_by=["batch_id"]) }}
-- made of: {{ ticdc.batches(ref("int_ticdc__catalogue")) }}

with

ddl_events as (

    select
        *,
        row_number() over (
            partition by feed, commit_ts, schema_name, table_name, ddl_query
            order by topic, `partition`, `offset`, event_index
        ) as occurrence
    from {{ ref("int_ticdc__events") }}
    where kind = 'ddl'

),

statements as (

    select
        *,
        ticdc_ddl_kind(ddl_query, schema_name) as statement
    from ddl_events
    -- replays and copies for other partitions are one DDL
    where occurrence = 1

)

select
    feed,
    commit_ts,
    timestamp_millis(shiftright(commit_ts, 18)) as commit_at,
    schema_name,
    table_name,
    statement.kind as ddl_kind,
    statement.tables as touched_tables,
    ddl_type,
    ddl_query,
    topic,
    `partition`,
    `offset`,
    event_index
from statements
