{% macro avro__commits(events, redrives=false) %}
    with

    {{ ticdc.avro__neighbours(events, redrives) }},

    timed_rows as (

        select
            *,
            -- grows with every offset, so that each change of a row is one of its own
            if(is_unplaced, null, coalesce(commit_ts, `offset` + max(ahead) over table_order)) as row_ts
        from neighbours
        window table_order as (
            partition by feed, topic, `partition`, schema_name, table_name order by `offset`
        )

    ),

    placed_rows as (

        select
            *,
            lag(row_ts) ignore nulls over table_order as earlier_ts,
            lead(row_ts) ignore nulls over table_order as later_ts,
            lag(row_ts) ignore nulls over key_order as version_ts,
            lead(row_ts) ignore nulls over key_order as next_version_ts
        from timed_rows
        window
            table_order as (partition by feed, topic, `partition`, schema_name, table_name order by `offset`),
            key_order as (partition by feed, topic, `partition`, schema_name, table_name, row_key order by `offset`)

    )

    select
        feed,
        topic,
        `partition`,
        `offset`,
        coalesce(
            row_ts,
            greatest(
                -- where a later row has an earlier commit, a replay began
                if(later_ts is null or earlier_ts <= later_ts, earlier_ts, later_ts - 1),
                -- the version before it is the one that is deleted, but where a replay brings that once more
                if(next_version_ts <= version_ts, null, version_ts)
            ),
            sent_ts
        ) as commit_ts
    from placed_rows
    where commit_ts is null
{% endmacro %}
