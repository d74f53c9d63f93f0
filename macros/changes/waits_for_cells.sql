{% macro waits_for_cells() -%}
    coalesce(
        kind = 'row'
        and not is_resolved
        and claim_check is null
        and checksum is null
        -- else images tell repeats
        and commit_ts_exact
        and table_name is not null
        and row_key is not null
        -- a cell of the key would change the key; a name with what JSON escapes is taken for one of the key
        and not exists(
            lossy,
            flag -> startswith(flag, '*:')
            or contains(row_key, '"' || left(flag, length(flag) - locate(':', reverse(flag))) || '":')
            or flag rlike '["\\\\\\p{Cntrl}]'
        ),
        false
    )
{%- endmacro %}
