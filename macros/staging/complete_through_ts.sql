{% macro complete_through_ts(window="") -%}
    if(
        max(watermark_ts){{ window }} is null,
        null,
        coalesce(
            min(if({{ ticdc.awaits_topic() }}, coalesce(watermark_ts, 0), null)){{ window }},
            min(coalesce(watermark_ts, 0)){{ window }}
        )
    )
{%- endmacro %}
