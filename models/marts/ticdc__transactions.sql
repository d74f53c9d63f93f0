select
    feed,
    commit_ts,
    commit_at,
    max(start_ts) as start_ts,
    count(*) as changes,
    count(distinct table_id) as tables,
    sort_array(collect_set(schema_name || '.' || table_name)) as table_names
from {{ ticdc.published_rows(ref("int_ticdc__changes")) }} as changes
where commit_ts_exact and op <> 'load'
group by feed, commit_ts, commit_at
