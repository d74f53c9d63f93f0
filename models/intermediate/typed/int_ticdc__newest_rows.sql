with

newest_rows as (

    {{ ticdc.merged_generations(
        ticdc.published_rows(ref("int_ticdc__latest")), ticdc.row_key_columns(), "row is null", ticdc.published_batches("int_ticdc__latest")
    ) }}

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
