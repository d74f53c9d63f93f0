{% macro is_unsettled_event(settled, progress, also=none, rows="") -%}
    {%- set redriven, feed = ticdc.redriven_feeds(settled, progress), rows ~ "feed" -%}
    {%- if settled.run_id and settled.run_id == progress.run_id and settled.bounds == progress.bounds and not (redriven or also) -%}
    false
    {%- else -%}
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
