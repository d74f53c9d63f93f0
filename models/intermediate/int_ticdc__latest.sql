{{
    config(
        materialized="ticdc_append",
        partition_by=["generation"],
        post_hook="{% do ticdc.settle_latest() %}",
    )
}}
{%- set state = ticdc.latest_state() -%}
{%- set key = ticdc.row_key_columns() %}
{{ ticdc.to_settle(state.settled) }}

with

row_changes as (

    {{ ticdc.row_changes(ref("int_ticdc__carried_rows"), state.run_id) }}

),

arrivals as (

    select
        feed,
        table_id,
        table_incarnation,
        schema_name,
        table_name,
        row_key,
        after as row,
        commit_ts,
        row_commit_ts,
        apply_rank,
        lossy,
        topic,
        `partition`,
        `offset`,
        event_index
    from row_changes

),

versions as (

    select * from arrivals
    {% if state.merge or state.late %}

    union all

    select known.* except (base_generation, generation)
    from {{ this }} as known
    {% if not state.merge -%}
    -- `using` would put these columns before the others
    left semi join arrivals
        on
            known.feed = arrivals.feed
            and known.table_id = arrivals.table_id
            and known.table_incarnation = arrivals.table_incarnation
            and known.row_key = arrivals.row_key
    {% endif -%}
    where
        known.generation >= {{ state.base }}
        {%- if state.redriven %}
        and known.feed not in ({{ ticdc.text_literals(state.redriven) }})
        {%- endif %}
    {% endif %}

),

ranked as (

    select
        *,
        -- rows are sorted by a number first: names are equal in most of them
        row_number() over (
            partition by xxhash64(row_key), {{ key }} order by {{ ticdc.row_order("desc") }}
        ) as place
    from versions

)

select
    * except (place),
    {{ ticdc.run_id() if state.merge else state.base }} as base_generation,
    {{ ticdc.run_id() }} as generation
from ranked
where place = 1
