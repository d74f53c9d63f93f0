{% macro waits_for_cells() -%}
    coalesce(
        kind = 'row'
        and not is_resolved
        and claim_check is null
        and checksum is null
        -- else images tell repeats
        and commit_ts_exact
        and table_name is not null
        and not exists(lossy, flag -> startswith(flag, '*:'))
        and not arrays_overlap(
            json_object_keys(row_key), transform(lossy, flag -> left(flag, length(flag) - locate(':', reverse(flag))))
        ),
        false
    )
{%- endmacro %}
