{% macro is_unsettled_event(settled, progress, also=none, rows="") -%}
    {%- if settled == progress and settled.run_id -%}
    false
    {%- else -%}
    (
        {{ rows }}run_id > {{ settled.run_id }}
        {%- for feed, bound in settled.bounds.items() %}
        or ({{ rows }}feed = {{ ticdc.text_literal(feed) }} and {{ rows }}commit_ts > {{ bound }})
        {%- endfor %}
        {%- set redriven = ticdc.redriven_feeds(settled, progress) %}
        {%- if redriven %}
        or {{ rows }}feed in ({{ ticdc.text_literals(redriven) }})
        {%- endif %}
        {%- if also %}
        or {{ also }}
        {%- endif %}
    )
    {%- for feed, bound in progress.bounds.items() %}
    and ({{ rows }}feed <> {{ ticdc.text_literal(feed) }} or {{ rows }}commit_ts <= {{ bound }})
    {%- endfor %}
    {%- endif -%}
{%- endmacro %}
