{% macro is_not_staged(staged_offsets) -%}
    {%- if not staged_offsets -%}
        true
    {%- elif staged_offsets | length <= 16 -%}
        not (
            {%- for range in staged_offsets %}
            (feed = {{ ticdc.text_literal(range.feed) }} and topic = {{ ticdc.text_literal(range.topic) }}
                and `partition` = {{ range.partition }}
                and `offset` between {{ range.first_offset }} and {{ range.last_offset }}
                {%- if "late_from" in range %} and `offset` not between {{ range.late_from }} and {{ range.late_to }}{% endif %})
            {{- " or" if not loop.last }}
            {%- endfor %}
        )
    {%- else -%}
        {#- Spark plans for minutes where thousands of conditions stand side by side. -#}
        not exists (
            select 1
            from ({{ ticdc.offset_ranges(staged_offsets) }})
            where
                feed = staged_feed
                and topic = staged_topic
                and `partition` = staged_partition
                and `offset` between first_offset and last_offset
                and `offset` not between late_from and late_to
        )
    {%- endif -%}
    {%- for staged_in, ranges in staged_offsets | selectattr("late_from", "defined") | groupby("staged_in") %}
    and not exists (
        select 1
        from (
            select
                feed as staged_feed,
                topic as staged_topic,
                `partition` as staged_partition,
                `offset` as staged_offset
            from {{ staged_in }} as staged
            where
                event_index = 0
                and not is_redriven
                and `offset` between {{ ranges | map(attribute="late_from") | min }} and {{ ranges | map(attribute="late_to") | max }}
        )
        where
            feed = staged_feed
            and topic = staged_topic
            and `partition` = staged_partition
            and `offset` = staged_offset
    )
    {%- endfor %}
{%- endmacro %}
