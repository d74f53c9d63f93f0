{{ config(materialized="ticdc_snapshot", partition_by=["batch_id"]) }}

with

versions as (

    select
        *,
        lead(valid_from_ts) over (
            partition by feed, lower(schema_name), lower(table_name) order by valid_from_ts
        ) as next_from_ts
    from {{ ticdc.rows_of(ref("int_ticdc__catalogue")) }} as catalogue
    where record = 'version'

)

select
    feed,
    table_id,
    incarnation as table_incarnation,
    schema_name,
    table_name,
    lower(schema_name) as schema_key,
    lower(table_name) as table_key,
    valid_from_ts,
    valid_to_ts,
    -- without commit TSOs, rows of the DDL's own millisecond come after it: a new table has none before
    if(commit_ts_exact, valid_from_ts, valid_from_ts - 1) as rows_after_ts,
    case
        when commit_ts_exact then valid_to_ts
        when next_from_ts <= valid_to_ts then next_from_ts - 1
        else valid_to_ts
    end as rows_to_ts,
    to_json(columns) as columns,
    to_json(
        transform(
            filter(columns, each -> each.generated is distinct from 'virtual'),
            each -> named_struct(
                'name', each.name, 'type', each.type, 'key', each.key,
                'nullable', each.nullable, 'default', coalesce(each.default, each.default_expression)
            )
        )
    ) as table_schema,
    to_json(
        transform(filter(columns, each -> each.key is not null), each -> each.name)
    ) as key_columns,
    keys_rows,
    partitioning,
    row_effect,
    started_by,
    ended_by,
    origin,
    origin in ('ddl', 'export') and {{ ticdc.has_unsure_cells("columns") }} as has_unsure_cells
from versions
