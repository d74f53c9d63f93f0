{%- set latest = ref("int_ticdc__latest") %}

with

newest_rows as (

    {{ ticdc.merged_generations(latest, ticdc.row_key_columns(), "row is null", ticdc.settled(latest)) }}

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
