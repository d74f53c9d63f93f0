{% test unique_change(model) %}
select
    feed,
    schema_name,
    table_name,
    table_incarnation,
    commit_ts,
    row_key,
    op,
    count(*) as changes
from {{ model }}
-- an export may hold equal rows of a table without key
where op <> 'load' or not array_contains(lossy, '*:no_key')
group by
    feed,
    schema_name,
    table_name,
    table_incarnation,
    commit_ts,
    row_key,
    op,
    -- a commit_ts that is not exact stands for a whole millisecond, in which a row may change more than once
    if(commit_ts_exact, null, xxhash64(before, after))
having count(*) > 1
{% endtest %}
