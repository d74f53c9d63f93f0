{% macro is_of_feed(feed) -%}
    ({% for pattern in feed.topics %}{{ " or " if not loop.first }}topic like {{ ticdc.text_literal(pattern) }}{% endfor %})
{%- endmacro %}
