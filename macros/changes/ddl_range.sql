{% macro ddl_range(settled, through, feed, commit_ts) -%}
    (
        {{ feed }} in ({{ ticdc.text_literals(ticdc.feeds() | map(attribute="name") | list) }})
        and {{ commit_ts }} > coalesce({{ ticdc.of_feed(settled.bounds, feed=feed) }}, 0)
        and {{ ticdc.is_within(commit_ts, through, feed) }}
    )
{%- endmacro %}
