{% macro row_intervals(row_changes, states=none) %}
    select
        neighbours.*,
        incarnations.current_schema_name,
        incarnations.current_table_name,
        incarnations.ended_by,
        incarnations.live_to_ts,
        greatest(neighbours.commit_ts, coalesce(incarnations.live_from_ts, 0)) as valid_from_ts,
        least(neighbours.next_commit_ts, incarnations.live_to_ts) as valid_to_ts
    from (
        select
            *,
            lag(commit_ts) over one_row as last_commit_ts,
            lag(op) over one_row as last_op,
            lead(commit_ts) over one_row as next_commit_ts,
            lead(op) over one_row as next_op,
            lead(commit_ts, 2) over one_row as second_commit_ts,
            lead(op, 2) over one_row as second_op,
            lead(cause) over one_row as next_cause
        from {{ row_changes }}
        -- what a DDL made of the columns of a row is the same row
        where cause not in ('new_columns', 'kept')
        window one_row as (partition by {{ ticdc.row_key_columns() }} order by {{ ticdc.row_order() }})
    ) as neighbours
    left join (
        {{ ticdc.incarnation_intervals(states) }}
    ) as incarnations
        on
            neighbours.feed = incarnations.feed
            and neighbours.table_id = incarnations.table_id
            and neighbours.table_incarnation = incarnations.table_incarnation
    where neighbours.after is not null
{% endmacro %}
