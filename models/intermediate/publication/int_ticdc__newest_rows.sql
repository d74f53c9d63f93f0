select
    feed,
    table_id,
    table_incarnation,
    row_key,
    row,
    row_commit_ts as commit_ts,
    lossy
from (
    select
        *,
        row_number() over (partition by {{ ticdc.row_key_columns() }} order by generation desc) as place
    from {{ ticdc.published_rows(ref("int_ticdc__latest")) }} as latest
) as ranked_rows
where place = 1 and row is not null
