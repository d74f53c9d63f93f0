{{ config(materialized="ticdc_snapshot", partition_by=["batch_id"]) }}
-- made of: {{ ticdc.batches(ref("int_ticdc__catalogue")) }}

with

-- replays and copies for other partitions are one DDL
statements as (

    select
        feed,
        message_ts as commit_ts,
        schema_name,
        table_name,
        ddl_query,
        min(struct(first_position, ddl_type)) as first_copy,
        ticdc_ddl_kind(ddl_query, schema_name) as statement
    from {{ ticdc.live_rows(ref("int_ticdc__seen_tables")) }} as seen_tables
    where kind = 'ddl'
    group by feed, message_ts, schema_name, table_name, ddl_query

)

select
    feed,
    commit_ts,
    timestamp_millis(shiftright(commit_ts, 18)) as commit_at,
    schema_name,
    table_name,
    statement.kind as ddl_kind,
    statement.tables as touched_tables,
    first_copy.ddl_type,
    ddl_query,
    first_copy.first_position.topic,
    first_copy.first_position.`partition`,
    first_copy.first_position.`offset`,
    first_copy.first_position.event_index
from statements
