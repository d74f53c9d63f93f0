{% macro touched_keyless_rows(changes, carried_rows, since_run_id, whole_feeds=[]) -%}
    select {{ ticdc.row_key_columns() }}
    from {{ changes }} as changes
    where array_contains(lossy, '*:no_key') and {{ ticdc.is_since(since_run_id, whole_feeds) }}

    union all

    select {{ ticdc.row_key_columns() | replace("row_key", ticdc.key_of_keyless_row()) }}
    from {{ carried_rows }} as carried_rows
    where array_contains(lossy, '*:no_key') and {{ ticdc.is_since(since_run_id, whole_feeds) }}
{%- endmacro %}
