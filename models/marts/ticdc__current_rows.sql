{%- set latest = ref("int_ticdc__latest") -%}
{%- set state = ticdc.settled(latest) %}

with

current_rows as (

    {{ ticdc.merged_generations(latest, ticdc.row_key_columns(), "row is null", state) }}

)

select
    feed,
    schema_name,
    table_name,
    table_incarnation,
    row_key,
    row,
    commit_ts,
    commit_at,
    lossy
from current_rows
