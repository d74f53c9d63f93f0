{% macro is_not_staged(staged_offsets) -%}
    {%- if not staged_offsets -%}
        true
    {%- elif staged_offsets | length <= 16 -%}
        not (
            {%- for range in staged_offsets %}
            (feed = {{ ticdc.text_literal(range.feed) }} and topic = {{ ticdc.text_literal(range.topic) }}
                and `partition` = {{ range.partition }}
                and `offset` between {{ range.first_offset }} and {{ range.last_offset }})
            {{- " or" if not loop.last }}
            {%- endfor %}
        )
    {%- else -%}
        {#- Spark plans for minutes where thousands of conditions stand side by side. -#}
        not exists (
            select 1
            from values
                {%- for range in staged_offsets %}
                ({{ ticdc.text_literal(range.feed) }}, {{ ticdc.text_literal(range.topic) }}, {{ range.partition }}, {{ range.first_offset }}, {{ range.last_offset }})
                {{- "," if not loop.last }}
                {%- endfor %}
                as staged (staged_feed, staged_topic, staged_partition, first_offset, last_offset)
            where
                feed = staged_feed
                and topic = staged_topic
                and `partition` = staged_partition
                and `offset` between first_offset and last_offset
        )
    {%- endif -%}
{%- endmacro %}
