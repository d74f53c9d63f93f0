{% macro is_within(commit_ts, bounds, feed="feed") -%}
    {%- set bound = ticdc.of_feed(bounds, feed=feed) -%}
    if({{ bound }} is null, true, {{ commit_ts }} <= {{ bound }})
{%- endmacro %}
