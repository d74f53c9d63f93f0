{% macro is_unsettled_event(settled, progress, also=none, rows="") -%}
    {%- if settled == progress and settled.run_id -%}
    false
    {%- else -%}
    {%- set redriven, feed = ticdc.redriven_feeds(settled, progress), rows ~ "feed" -%}
    (
        {{ rows }}run_id > {{ settled.run_id }}
        {%- if settled.bounds %}
        or {{ rows }}commit_ts > {{ ticdc.of_feed(settled.bounds, feed=feed) }}
        {%- endif %}
        {%- if redriven %}
        or {{ feed }} in ({{ ticdc.text_literals(redriven) }})
        {%- endif %}
        {%- if also %}
        or {{ also }}
        {%- endif %}
    )
    {%- if progress.bounds %}
    and {{ ticdc.is_within(rows ~ "commit_ts", progress.bounds, feed) }}
    {%- endif %}
    {%- endif -%}
{%- endmacro %}
