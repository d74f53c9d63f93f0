{% macro is_since(run_id, whole_feeds=[]) -%}
    {%- set is_later = "run_id > " ~ run_id -%}
    {{ "(" ~ is_later ~ " or feed in (" ~ ticdc.text_literals(whole_feeds) ~ "))" if whole_feeds else is_later }}
{%- endmacro %}
