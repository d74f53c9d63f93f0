{% macro is_late(settled, progress, rows="") -%}
    {%- set redriven = ticdc.redriven_feeds(settled, progress) -%}
    (
        {%- for feed, bound in settled.bounds.items() if feed not in redriven %}
        ({{ rows }}feed = {{ ticdc.text_literal(feed) }} and {{ rows }}commit_ts <= {{ bound }}) or
        {%- endfor %}
        false
    )
{%- endmacro %}
