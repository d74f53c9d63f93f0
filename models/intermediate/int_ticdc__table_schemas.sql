with

schema_texts as (

    select
        feed,
        schema_name,
        table_name,
        table_schema_id,
        min(table_schema) as table_schema
    from {{ ref("int_ticdc__events") }}
    where table_schema is not null
    group by feed, schema_name, table_name, table_schema_id

),

schema_use as (

    select
        feed,
        schema_name,
        table_name,
        table_schema_id,
        min(commit_ts) as first_commit_ts,
        max(commit_ts) as last_commit_ts,
        max(
            op <> 'delete' and not arrays_overlap(lossy, array('*:handle_key_only', '*:claim_check'))
        ) as is_complete
    from {{ ref("int_ticdc__changes") }}
    group by feed, schema_name, table_name, table_schema_id

)

select
    schema_use.*,
    schema_texts.table_schema
from schema_use
inner join schema_texts
    on
        schema_use.feed = schema_texts.feed
        and schema_use.schema_name = schema_texts.schema_name
        and schema_use.table_name = schema_texts.table_name
        and schema_use.table_schema_id = schema_texts.table_schema_id
