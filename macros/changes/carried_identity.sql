{% macro carried_identity() -%}
    xxhash64(table_id, table_incarnation, op, cause, row_commit_ts, before, after)
{%- endmacro %}
