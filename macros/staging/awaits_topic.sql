{% macro awaits_topic() -%}
    case feed
        {%- for feed in ticdc.feeds() %}
        when {{ ticdc.text_literal(feed.name) }} then {{ ticdc.is_of_feed(feed) }}
            {%- if feed.finished_topics %} and not {{ ticdc.is_of_feed({"topics": feed.finished_topics}) }}{% endif %}
        {%- endfor %}
        else true
    end
{%- endmacro %}
