{%- set rows = ticdc.published_rows(ref("int_ticdc__latest")) -%}
{%- set batches = ticdc.published_batches("int_ticdc__latest") -%}

with

newest_rows as (

    {{ ticdc.merged_generations(rows, ticdc.row_key_columns(), "row is null", batches) }}

)

select
    feed,
    table_id,
    table_incarnation,
    row_key,
    row,
    row_commit_ts as commit_ts,
    lossy
from newest_rows
