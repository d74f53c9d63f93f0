{% macro numbered_copies(events) %}
    {%- set commit = "feed, schema_name, table_name, commit_ts" -%}
    select
        * except (is_doubled, last_offset, last_index, offset_range),
        if(
            row_id is null,
            row_number() over (
                partition by {{ commit }}, topic, `partition`, offset_range, op, image_hash order by `offset`, event_index
            ),
            1
        ) as copy
    from (
        select
            *,
            -- of a message that the source holds twice
            coalesce(`offset` = last_offset and event_index = last_index, false) as is_doubled,
            count_if(
                not coalesce(
                    (`offset` = last_offset and event_index in (last_index, last_index + 1))
                    or (`offset` = last_offset + 1 and event_index = 0),
                    false
                )
            ) over (
                partition by {{ commit }}, topic, `partition` order by `offset`, event_index
            ) as offset_range
        from (
            select
                *,
                xxhash64(before, after, row_id) as image_hash,
                lag(`offset`) over in_partition as last_offset,
                lag(event_index) over in_partition as last_index
            from {{ events }}
            window in_partition as (
                partition by {{ commit }}, topic, `partition` order by `offset`, event_index
            )
        ) as followed_events
    ) as offset_ranges
    where not is_doubled
{% endmacro %}
