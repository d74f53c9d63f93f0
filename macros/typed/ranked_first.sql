{% macro ranked_first(ranked_rows) %}
    select
        feed,
        table_id,
        table_incarnation,
        row_key,
        row,
        row_commit_ts as commit_ts,
        lossy
    from (
        {{ ranked_rows }}
    ) as ranked_rows
    where place = 1 and row is not null
{% endmacro %}
