{% macro by_feed(feeds, member, rows="") -%}
    case {{ rows }}feed
        {%- for feed in feeds %}
        when {{ ticdc.text_literal(feed.name) }} then {{ ticdc.text_literal(feed[member]) }}
        {%- endfor %}
    end
{%- endmacro %}
