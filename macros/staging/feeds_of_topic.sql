{% macro feeds_of_topic() -%}
    array_compact(
        array(
            {%- for feed in ticdc.feeds() %}
            if({{ ticdc.is_of_feed(feed) }}, {{ ticdc.text_literal(feed.name) }}, null)
            {{- "," if not loop.last }}
            {%- endfor %}
        )
    )
{%- endmacro %}
