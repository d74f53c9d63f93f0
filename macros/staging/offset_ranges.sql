{% macro offset_ranges(ranges) -%}
    select *
    from values
        {%- for range in ranges %}
        ({{ loop.index0 }}, {{ ticdc.text_literal(range.feed) }}, {{ ticdc.text_literal(range.topic) }}, {{ range.partition }}, {{ range.first_offset }}, {{ range.last_offset }}, {{ range.late_from | default(0) }}, {{ range.late_to | default(-1) }})
        {{- "," if not loop.last }}
        {%- endfor %}
        as staged (place, staged_feed, staged_topic, staged_partition, first_offset, last_offset, late_from, late_to)
{%- endmacro %}
