{# Gives the SQL of the commit through which a feed is complete, as its rows of partitions say by `feed`, `topic` and
   `watermark_ts`: the oldest watermark of the topics that are waited for, of all where none is; 0 where one lacks a
   watermark, NULL where all do. #}
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

{# Gives the SQL condition, on `feed` and `topic`, that watermarks of a topic are waited for: the feed reads it, and
   does not name it in `finished_topics`; of a feed that is not configured, all are. #}
{% macro awaits_topic() -%}
    case feed
        {%- for feed in ticdc.feeds() %}
        when {{ ticdc.text_literal(feed.name) }} then {{ ticdc.is_of_feed(feed) }}
            {%- if feed.finished_topics %} and not {{ ticdc.is_of_feed({"topics": feed.finished_topics}) }}{% endif %}
        {%- endfor %}
        else true
    end
{%- endmacro %}
