select
    feed,
    commit_ts,
    timestamp_millis(shiftright(commit_ts, 18)) as commit_at,
    schema_name,
    table_name,
    kind as ddl_kind,
    touched_tables,
    ddl_type,
    ddl_query,
    topic,
    `partition`,
    `offset`,
    event_index
from {{ ticdc.published_rows(ref("int_ticdc__catalogue")) }} as catalogue
where record = 'statement'
