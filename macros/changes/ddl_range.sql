{% macro ddl_range(settled, through, late, feed, commit_ts) -%}
    (
        {{ feed }} in ({{ ticdc.text_literals(ticdc.feeds() | map(attribute="name") | list) }})
        and {{ ticdc.is_within(commit_ts, through, feed) }}
        and (
            {{ commit_ts }} > coalesce({{ ticdc.of_feed(settled.bounds, feed=feed) }}, 0)
            {%- if late %}
            or {{ ticdc.is_of_ddl_commits(late, commit_ts) }}
            {%- endif %}
        )
    )
{%- endmacro %}
