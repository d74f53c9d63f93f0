{% macro is_of_ddl_commits(ddl_commits, column) -%}
    {%- set of_feeds = {} -%}
    {%- for feed, commit_ts in ddl_commits -%}{%- do of_feeds.setdefault(feed, []).append(commit_ts) -%}{%- endfor -%}
    array_contains({{ ticdc.of_feed(of_feeds, "array<bigint>") }}, {{ column }})
{%- endmacro %}
