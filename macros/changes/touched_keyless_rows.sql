{% macro touched_keyless_rows(changes, carried_rows, since_run_id) -%}
    select {{ ticdc.row_key_columns() }}
    from {{ changes }} as changes
    where array_contains(lossy, '*:no_key') and run_id > {{ since_run_id }}

    union all

    select {{ ticdc.row_key_columns() | replace("row_key", ticdc.key_of_keyless_row()) }}
    from {{ carried_rows }} as carried_rows
    where array_contains(lossy, '*:no_key') and run_id > {{ since_run_id }}
{%- endmacro %}
