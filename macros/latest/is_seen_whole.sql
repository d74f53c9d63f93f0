{% macro is_seen_whole() -%}
    not (table_incarnation = 1 and endswith(table_id, '@0'))
{%- endmacro %}
