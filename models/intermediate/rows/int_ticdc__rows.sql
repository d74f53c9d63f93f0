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

),

versions as (

    select * from {{ ticdc.live_rows(ref("int_ticdc__catalogue")) }} as catalogue
    where record = 'version'

),

-- of these the key is as it is: `int_ticdc__changes` completes the cells
rows_with_version as (

    {{ ticdc.rows_with_version(ref("int_ticdc__waiting_rows"), "waiting_rows.waits_for_cells") }}

)

select
    {{ columns | join(",\n    ") }},
    array_contains(lossy, '*:no_key') as is_keyless,
    false as waits_for_cells,
    cast(null as string) as protocol,
    cast(null as string) as known_schema,
    cast(null as string) as origin,
    cast(null as string) as key_columns,
    run_id,
    feed
from whole_rows

union all

select
    {{ columns | join(",\n    ") }},
    false as is_keyless,
    true as waits_for_cells,
    protocol,
    known_schema,
    origin,
    key_columns,
    run_id,
    feed
from rows_with_version
