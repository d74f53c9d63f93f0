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
    -- a commit_ts without its counter stands for a whole millisecond, in which a row may change more than once
    if(commit_ts % 262144 = 0, xxhash64(before, after), null)
having count(*) > 1
{% endtest %}
