{{ config(materialized="ticdc_log", partition_by=["batch_id"]) }}
select
    cast(null as bigint) as run_id,
    cast(null as string) as kind,
    cast(null as timestamp_ltz) as started_at,
    cast(null as timestamp_ltz) as ended_at,
    cast(null as string) as state,
    cast(null as string) as who,
    cast(null as bigint) as messages,
    cast(null as bigint) as changes,
    cast(null as bigint) as publication,
    cast(null as array<string>) as written_tables,
    cast(null as array<string>) as unfinished_models,
    cast(null as string) as plan,
    cast(null as bigint) as batch_id
where false
