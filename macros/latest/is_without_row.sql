{% macro is_without_row() -%}
    coalesce(expects_row <> coalesce(was_live, if({{ ticdc.is_seen_whole() }}, false, null)), false)
{%- endmacro %}
