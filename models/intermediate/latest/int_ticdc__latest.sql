{{
    config(
        materialized="ticdc_append",
        partition_by=["batch_id"],
        merges=false,
    )
}}
{%- set changes, carried_rows = ref("int_ticdc__changes"), ref("int_ticdc__carried_rows") -%}
{%- set state = ticdc.planned(ref("int_ticdc__latest_plan"), [changes, carried_rows]) -%}
{%- set is_idle = state.is_idle or state.get("settles") == ticdc.settled() -%}
{#- rows are sorted by a number first: names are equal in most of them -#}
{%- set one_row = "row_hash, " ~ ticdc.row_key_columns() -%}
{%- set reads_rows = state.merge or state.late -%}
{%- set has_no_key = "array_contains(lossy, '*:no_key')" -%}
{%- set has_keyless_rows = ticdc.settled(changes).get("has_bags") %}
{%- set conditions = [] -%}
{%- if state.redriven -%}
    {%- do conditions.append("known.feed not in (" ~ ticdc.text_literals(state.redriven) ~ ")") -%}
{%- endif -%}
{#- of rows without key all changes arrive again -#}
{%- if not reads_rows and has_keyless_rows %}{% do conditions.append("not " ~ has_no_key) %}{% endif -%}
{{ ticdc.takes(state.get("settles"), is_idle=is_idle, is_rebuild=state.merge) }}
with

row_changes as (

    {{ ticdc.row_changes(carried_rows, state.run_id, whole_feeds=state.redriven) }}

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
        event_index,
        op <> 'delete' as is_live,
        false as is_doubtful,
        {{ ticdc.expects_row() }} as expects_row,
        false as is_known
    from row_changes

),

{% if state.run_id and not state.merge -%}
arriving as (

    {{ ticdc.row_changes(carried_rows, state.run_id, has_keyless_rows=has_keyless_rows and reads_rows) }}

),

{% endif -%}
versions as (

    select * from arrivals
    {% if state.run_id %}

    union all

    select
        known.feed,
        known.table_id,
        known.table_incarnation,
        known.schema_name,
        known.table_name,
        known.row_key,
        -- a state that none of the new ones is older than is only asked for its being there
        {{ "known.row" if reads_rows else "cast(null as string) as row" }},
        known.commit_ts,
        known.row_commit_ts,
        known.apply_rank,
        known.lossy,
        known.topic,
        known.`partition`,
        known.`offset`,
        known.event_index,
        known.is_live,
        known.is_doubtful,
        cast(null as boolean) as expects_row,
        true as is_known
    from {{ ticdc.rows_of(this) }} as known
    {% if not state.merge -%}
    -- `using` would put these columns before the others
    left semi join arriving
        on
            known.feed = arriving.feed
            and known.table_id = arriving.table_id
            and known.table_incarnation = arriving.table_incarnation
            and known.row_key = arriving.row_key
    {% endif -%}
    {{ "where " ~ conditions | join(" and ") if conditions }}
    {% endif %}

),

-- a column, as Spark takes an expression of two windows for two, and sorts all rows twice
hashed as (

    select
        *,
        xxhash64(row_key) as row_hash
    from versions

),

ranked as (

    select
        *,
        row_number() over newest_first as place,
        lead(is_live) over newest_first as was_live,
        lag(is_known, 1, false) over newest_first as is_late
    from hashed
    window newest_first as (
        partition by {{ one_row }} order by {{ ticdc.row_order("desc") }}, is_known desc
    )

),

judged as (

    select
        * except (is_doubtful),
        bool_or(
            is_doubtful
            or {{ ticdc.is_without_row() }}
            -- a known state sums up changes among which a late one lies
            or (is_late and not is_known and not {{ has_no_key }})
        ) over (partition by {{ one_row }}) as is_doubtful
    from ranked

)

select
    * except (expects_row, is_known, row_hash, place, was_live, is_late),
    {{ ticdc.run_id() }} as generation
from judged
where place = 1
