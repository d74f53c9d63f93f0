{{
    config(
        materialized="ticdc_append",
        partition_by=["batch_id", "feed"],
        notes="note_split_tables",
    )
}}
-- depends_on: {{ ref("int_ticdc__events") }}
{%- set settled = ticdc.settled() -%}
{%- set plan = ticdc.changes_progress(settled) -%}
{%- set built_again = ticdc.feeds_built_again(settled, plan.progress) -%}
{%- set is_unsettled = ticdc.is_unsettled_event(settled, plan.progress) -%}
{%- set known = ticdc.rows_of(this, plan.rebuilt) if ticdc.has_rows() else none %}
{{ ticdc.takes(plan.progress, is_idle=plan.is_idle, rebuilt=plan.rebuilt or []) }}
with

row_events as (

    {{ ticdc.row_events(ref("int_ticdc__rows"), plan, is_unsettled) }}

),

-- an update that changed the key is a deletion and an insertion
changes as (

    select
        feed,
        topic,
        `partition`,
        `offset`,
        event_index,
        schema_name,
        table_name,
        physical_table_id,
        commit_ts,
        commit_ts_exact,
        start_ts,
        image_hash,
        copy,
        lossy,
        -- one pass over the events, and images are not copied into an array
        coalesce(half, op) as op,
        if(half = 'delete', before_key, row_key) as row_key,
        if(half = 'insert', null, before) as before,
        if(half = 'delete', null, after) as after
    from row_events
        lateral view explode(if(before_key is null, array(null), array('delete', 'insert'))) halves as half

),

marked_changes as (

    {{ ticdc.marked_changes("changes", known, plan) }}

),

versions as (

    select * from {{ ticdc.catalogue_records("version") }} as table_versions

),

{% if plan.shown_again -%}
-- of feeds that are made anew only as DDL came late
shown_before as (

    select
        feed,
        topic,
        `partition`,
        `offset`,
        event_index,
        op,
        max(is_late) as is_late
    from {{ ticdc.rows_of(this) }} as known
    where feed in ({{ ticdc.text_literals(plan.shown_again) }})
    group by feed, topic, `partition`, `offset`, event_index, op

),

{% endif -%}
changes_with_version as (

    select /*+ broadcast(marked_changes, versions) */
        changes.schema_name,
        changes.table_name,
        coalesce(
            versions.table_id,
            -- of a table of which no message but its rows tells
            '`' || replace(changes.schema_name, '`', '``')
            || '`.`' || replace(changes.table_name, '`', '``') || '`@0'
        ) as table_id,
        coalesce(versions.table_incarnation, 1) as table_incarnation,
        coalesce(versions.valid_from_ts, 0) as version_from_ts,
        changes.commit_ts,
        timestamp_millis(shiftright(changes.commit_ts, 18)) as commit_at,
        changes.commit_ts_exact,
        changes.start_ts,
        changes.physical_table_id,
        changes.op,
        if(
            changes.op = 'delete'
            and (changes.commit_ts_exact or coalesce(marked_changes.is_replaced, false)),
            0,
            1
        ) as apply_rank,
        changes.row_key,
        changes.before,
        changes.after,
        changes.image_hash,
        changes.copy,
        changes.lossy,
        {{ ticdc.unsure_cells() }} as told,
        changes.topic,
        changes.`partition`,
        changes.`offset`,
        changes.event_index,
        coalesce(
            changes.commit_ts <= {{ ticdc.of_feed(plan.shown_through or {}, feed="changes.feed") }}
            {{- " and coalesce(shown_before.is_late, true)" if plan.shown_again }},
            false
        ) as is_late,
        {{ ticdc.run_id() }} as run_id,
        changes.feed
    from changes
    -- an anti join would find the marks again for each part of the union
    left join marked_changes
        on
            changes.feed = marked_changes.feed
            and changes.topic = marked_changes.topic
            and changes.`partition` = marked_changes.`partition`
            and changes.`offset` = marked_changes.`offset`
            and changes.event_index = marked_changes.event_index
            and changes.op = marked_changes.op
    left join versions
        on
            {{ ticdc.is_of_version("changes") }}
    {%- if plan.shown_again %}
    left join shown_before
        on
            changes.feed = shown_before.feed
            and changes.topic = shown_before.topic
            and changes.`partition` = shown_before.`partition`
            and changes.`offset` = shown_before.`offset`
            and changes.event_index = shown_before.event_index
            and changes.op = shown_before.op
    {%- endif %}
    where not coalesce(marked_changes.is_repeat, false)

),

new_changes as (

    select
        * except (before, after, lossy, told),
        coalesce(told.before, before) as before,
        coalesce(told.after, after) as after,
        coalesce(told.lossy, lossy) as lossy
    from changes_with_version
    {%- if plan.loads %}

    union all

    {{ ticdc.loaded_changes(plan.loads) }}
    {%- endif %}

)

select
    new_changes.*,
    {{ "coalesce(known_before.first_run_id, new_changes.run_id)" if built_again else "run_id" }}
    as first_run_id
from new_changes
{%- if built_again %}
{{ ticdc.join_first_runs(
    "new_changes", ticdc.rows_of(this), "xxhash64(table_id, table_incarnation, op, copy, before, after)",
    "feed in (" ~ ticdc.text_literals(built_again) ~ ")"
) }}
{%- endif %}
