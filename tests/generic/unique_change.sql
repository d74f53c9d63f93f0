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
group by
    feed,
    schema_name,
    table_name,
    table_incarnation,
    commit_ts,
    row_key,
    op,
    copy,
    -- a commit_ts that is not exact stands for a whole millisecond, in which a row may change more than once
    if(commit_ts_exact, null, xxhash64(before, after))
having count(*) > 1
{% endtest %}
