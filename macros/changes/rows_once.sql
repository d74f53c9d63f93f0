{% macro rows_once(events) %}
    select * except (is_doubled)
    from {{ events }}
    where not is_doubled

    union all

    select * except (is_doubled, place)
    from (
        select
            *,
            row_number() over (
                -- a topic that was created again has other messages at the same offsets
                partition by
                    feed, topic, `partition`, `offset`, event_index, commit_ts, op, row_key, xxhash64(before, after)
                order by run_id
            ) as place
        from {{ events }}
        where is_doubled
    ) as doubled_rows
    where place = 1
{% endmacro %}
