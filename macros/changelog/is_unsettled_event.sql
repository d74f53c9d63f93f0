{% macro is_unsettled_event(settled, progress) -%}
    {%- if settled == progress and settled.run_id -%}
    false
    {%- else -%}
    (
        run_id > {{ settled.run_id }}
        {%- for feed, bound in settled.bounds.items() %}
        or (feed = {{ ticdc.text_literal(feed) }} and commit_ts > {{ bound }})
        {%- endfor %}
    )
    {%- for feed, bound in progress.bounds.items() %}
    and (feed <> {{ ticdc.text_literal(feed) }} or commit_ts <= {{ bound }})
    {%- endfor %}
    {%- endif -%}
{%- endmacro %}
