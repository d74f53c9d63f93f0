{%- set is_keyed_anew = ticdc.is_keyed_anew() -%}
with

waiting_rows as (

    select *
    from {{ ref("int_ticdc__events") }}
    where kind = 'row' and (not is_resolved or {{ is_keyed_anew }}) and claim_check is null

    union all

    select
        * except (batch_id, protocol),
        protocol
    from {{ ticdc.live_rows(ref("int_ticdc__claim_checks")) }} as claim_checks
    where kind = 'row' and (not is_resolved or {{ is_keyed_anew }})

)

select
    *,
    {{ ticdc.waits_for_cells() }} and not {{ is_keyed_anew }} as waits_for_cells
from waiting_rows
