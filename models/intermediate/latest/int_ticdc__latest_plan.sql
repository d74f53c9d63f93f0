{{ config(materialized="ticdc_plan") }}
{%- set changes, carried_rows = ref("int_ticdc__changes"), ref("int_ticdc__carried_rows") -%}
{%- set latest, settled = ticdc.relation_of("int_ticdc__latest"), ticdc.settled_later("int_ticdc__latest") -%}
{%- set base, run_id = settled.get("base", 0), ticdc.run_id() | int -%}
{%- set redriven = ticdc.settled(changes).get("redriven", {}) -%}
{%- for feed, rebuilt_by in ticdc.settled(carried_rows).get("redriven", {}).items() -%}
    {%- do redriven.update({feed: [rebuilt_by, redriven.get(feed, 0)] | max}) -%}
{%- endfor -%}
{%- set rebuilt = ticdc.feeds_to_rebuild(settled, {"redriven": redriven}) -%}
{%- set is_idle = base and not (rebuilt or ticdc.has_news([changes, carried_rows], settled.run_id)) -%}
{#- where there are no states, all changes become one batch of them -#}
{%- set of_none = {
    "run_id": 0, "merge": true, "late": false, "redriven": [],
    "settles": {"run_id": run_id, "base": run_id, "redriven": redriven},
} %}
{{ ticdc.takes({"answer": none if base else of_none}, is_idle=is_idle) }}
with

arrivals as (

    select
        count(*) as arrivals,
        min(commit_ts) as first_commit_ts,
        max(late_run_id) as late_run_id
    from ({{ ticdc.row_changes(carried_rows, settled.run_id) }}) as row_changes
    where run_id > {{ settled.run_id }}

),

states as (

    select
        count_if(generation = {{ base }}) as base_rows,
        count_if(generation > {{ base }}) as later_rows,
        max(commit_ts) as last_commit_ts
    from {{ ticdc.rows_of(latest) if base else "values (0, 0) as nothing (generation, commit_ts)" }}

)

select
    ticdc_latest_state(
        to_json(struct(*)), {{ ticdc.text_literals([tojson(settled), tojson(redriven), run_id]) }}
    ) as state
from arrivals
cross join states
