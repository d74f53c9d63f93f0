{% macro feed_names() -%}
    select explode(
        array(
            {%- for feed in ticdc.feeds() %}
            {{ ticdc.text_literal(feed.name) }}{{ "," if not loop.last }}
            {%- endfor %}
        )
    ) as feed
{%- endmacro %}
