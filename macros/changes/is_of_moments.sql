{% macro is_of_moments(moments, column) -%}
    {%- set of_feeds = {} -%}
    {%- for feed, commit_ts in moments -%}{%- do of_feeds.setdefault(feed, []).append(commit_ts) -%}{%- endfor -%}
    array_contains({{ ticdc.of_feed(of_feeds, "array<bigint>") }}, {{ column }})
{%- endmacro %}
