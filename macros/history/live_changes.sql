{% macro live_changes(row_changes) %}
    select
        feed,
        table_id,
        table_incarnation,
        row_key,
        commit_ts,
        apply_rank,
        topic,
        `partition`,
        `offset`,
        event_index,
        after as row,
        row_commit_ts,
        lossy,
        live_from_ts,
        live_to_ts
    from (
        select
            changes.*,
            incarnations.live_from_ts,
            incarnations.live_to_ts
        from {{ row_changes }} as changes
        inner join (
            {{ ticdc.incarnation_intervals() }}
        ) as incarnations
            on
                changes.feed = incarnations.feed
                and changes.table_id = incarnations.table_id
                and changes.table_incarnation = incarnations.table_incarnation
    ) as live_changes
{% endmacro %}
