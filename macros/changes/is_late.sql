{% macro is_late(settled, progress, rows="") -%}
    {%- set redriven, bounds = ticdc.redriven_feeds(settled, progress), {} -%}
    {%- for feed, bound in settled.bounds.items() if feed not in redriven -%}{%- do bounds.update({feed: bound}) -%}{%- endfor -%}
    {{ "coalesce(" ~ rows ~ "commit_ts <= " ~ ticdc.of_feed(bounds, feed=rows ~ "feed") ~ ", false)" if bounds else "false" }}
{%- endmacro %}
