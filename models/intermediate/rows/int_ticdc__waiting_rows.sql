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

),

-- through the run before it is known that no row waits for more than cells
known_runs as (

    select coalesce(min(if(is_waiting, run_id, null)), max(run_id) + 1) as end_run_id
    from {{ ticdc.live_rows(ref("int_ticdc__staged_runs")) }} as staged_runs

)

select
    *,
    not {{ is_keyed_anew }}
    and if(
        waiting_rows.run_id < (select known_runs.end_run_id from known_runs),
        true,
        {{ ticdc.waits_for_cells() }}
    ) as waits_for_cells
from waiting_rows
