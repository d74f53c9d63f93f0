{% macro is_late(settled, rows="") -%}
    (
        {%- for feed, bound in settled.bounds.items() %}
        ({{ rows }}feed = {{ ticdc.text_literal(feed) }} and {{ rows }}commit_ts <= {{ bound }}) or
        {%- endfor %}
        false
    )
{%- endmacro %}
