{% macro is_not_staged(feed, staged_offsets) -%}
    {%- set ranges = staged_offsets | selectattr("feed", "equalto", feed.name) | list -%}
    {%- if not ranges -%}
        true
    {%- elif ranges | length <= 16 -%}
        not (
            {%- for range in ranges %}
            (topic = {{ ticdc.text_literal(range.topic) }} and `partition` = {{ range.partition }}
                and `offset` between {{ range.first_offset }} and {{ range.last_offset }})
            {{- " or" if not loop.last }}
            {%- endfor %}
        )
        {{- ticdc.may_not_be_staged(ranges) }}
    {%- else -%}
        {#- Spark plans for minutes where thousands of conditions stand side by side. -#}
        not exists (
            select 1
            from values
                {%- for range in ranges %}
                ({{ ticdc.text_literal(range.topic) }}, {{ range.partition }}, {{ range.first_offset }}, {{ range.last_offset }})
                {{- "," if not loop.last }}
                {%- endfor %}
                as staged (staged_topic, staged_partition, first_offset, last_offset)
            where
                topic = staged_topic
                and `partition` = staged_partition
                and `offset` between first_offset and last_offset
        )
    {%- endif -%}
{%- endmacro %}
