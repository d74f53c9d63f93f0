{% macro shown_through(feed, bounds=none) -%}
    {%- set bounds = ticdc.settled(ref("int_ticdc__changes")).bounds if bounds is none else bounds -%}
    {%- if bounds -%}
    coalesce({{ ticdc.of_feed(bounds, feed=feed) }}, {{ 2 ** 63 - 1 }})
    {%- else -%}
    {{ 2 ** 63 - 1 }}
    {%- endif -%}
{%- endmacro %}
