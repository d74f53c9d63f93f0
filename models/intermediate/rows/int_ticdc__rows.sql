{%- set is_keyed_anew = ticdc.is_keyed_anew() -%}
{%- set columns = ticdc.row_columns() %}
with

whole_rows as (

    select
        {{ columns | join(",\n        ") }},
        run_id,
        feed
    from {{ ref("int_ticdc__events") }}
    -- a deletion that names no row can be applied to none: ticdc__problems counts it
    where kind = 'row' and is_resolved and table_name is not null and not {{ is_keyed_anew }}

    union all

    select
        {{ columns | join(",\n        ") }},
        run_id,
        feed
    from {{ ticdc.live_rows(ref("int_ticdc__claim_checks")) }} as claim_checks
    where kind = 'row' and is_resolved and not {{ is_keyed_anew }}

    union all

    select
        {{ columns | join(",\n        ") }},
        run_id,
        feed
    from {{ ticdc.live_rows(ref("int_ticdc__resolved_rows")) }} as resolved_rows

)

select
    *,
    array_contains(lossy, '*:no_key') as is_keyless
from whole_rows
