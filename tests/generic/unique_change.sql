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
    image_hash,
    copy
having count(*) > 1
{% endtest %}
