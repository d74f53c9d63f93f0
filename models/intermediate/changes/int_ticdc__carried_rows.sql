{{ config(materialized="ticdc_carried_rows", partition_by=["batch_id", "feed"]) }}
-- depends_on: {{ ref("int_ticdc__catalogue") }}
select
    table_id,
    table_incarnation,
    version_from_ts,
    schema_name,
    table_name,
    commit_ts,
    commit_ts_exact,
    op,
    apply_rank,
    row_key,
    before,
    after,
    lossy,
    topic,
    `partition`,
    `offset`,
    event_index,
    commit_ts as row_commit_ts,
    '' as cause,
    physical_table_id,
    cast(null as struct<partition_name: string, commit_ts: bigint>) as exchanged,
    feed,
    run_id,
    first_run_id
from {{ ref("int_ticdc__changes") }}
where false
