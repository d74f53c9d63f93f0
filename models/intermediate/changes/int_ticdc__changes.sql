{{
    config(
        materialized="ticdc_append",
        partition_by=["batch_id", "feed"],
        notes="note_split_tables",
    )
}}
-- depends_on: {{ ref("int_ticdc__events") }}
{%- set settled, catalogue = ticdc.settled(), ref("int_ticdc__catalogue") -%}
{%- set plan = ticdc.planned(ref("int_ticdc__changes_plan"), [ref("int_ticdc__staged_runs"), catalogue]) -%}
{%- set plan = plan or {"progress": settled, "waits_for_cells": [false], "is_exact": true} -%}
{%- set is_idle = plan.is_idle or (settled.run_id and settled.of == plan.progress.of) -%}
{%- set progress, loads, is_exact, is_mixed = plan.progress, plan.loads, plan.is_exact, plan.is_mixed -%}
{%- set rebuilt_feeds = ticdc.rebuilt_feeds(settled, progress) -%}
{#- of rows that are replaced within a millisecond: what is deleted there is not what is put -#}
{%- set is_replaced = "false" if is_exact else (
    "(op = 'delete' and exists(puts, put -> put.columns_hash = columns_hash)"
    ~ " and not exists(puts, put -> put.columns_hash = columns_hash and put.row_hash = row_hash))"
) -%}
{#- rows are sorted by a number first: names are equal in most of them -#}
{%- set identity = "commit_ts, row_key, op, image_hash, copy, table_name, schema_name, feed" -%}
{%- set key_at_commit = "feed, schema_name, table_name, commit_ts, row_key" -%}
{#- a row that comes again may tell its commit, or its millisecond as before -#}
{%- set moment = "feed, schema_name, table_name, commit_ms, row_key, op, row_image, copy" -%}
{%- set position = "feed, topic, `partition`, `offset`, event_index, op" -%}
{%- set whole_rows, waiting_rows = ref("int_ticdc__rows"), ref("int_ticdc__waiting_rows") -%}
{%- set has_rows = ticdc.has_rows() -%}
{#- few rows are all sorted, and read once less -#}
{%- set is_narrowed = plan.has_many_rows and not has_rows -%}
{%- set is_unsettled = ticdc.is_unsettled_event(settled, progress) -%}
{%- set waits_unsettled = ticdc.is_unsettled_event(settled, progress, rows="waiting_rows.") -%}
{%- set columns_of_changes = [
    "feed", "topic", "`partition`", "`offset`", "event_index", "schema_name", "table_name", "physical_table_id",
    "commit_ts", "commit_ts_exact", "start_ts", "op", "row_key", "before_key", "before", "after", "lossy",
    "run_id",
] + (["table_schema_id"] if true in plan.waits_for_cells else []) -%}
{%- set of_whole, of_waiting = [], [] -%}
{%- if true in plan.waits_for_cells -%}
    {%- do of_whole.append("cast(null as string) as protocol") -%}
    {%- do of_waiting.append("protocol") -%}
{%- endif -%}
{%- if plan.has_keyless_rows -%}
    {%- do of_whole.append("is_keyless") -%}
    {%- do of_waiting.append("false as is_keyless") -%}
{%- endif -%}
{#- of a table of which no message but its rows tells -#}
{%- set unseen_table_id -%}
'`' || replace(changes.schema_name, '`', '``') || '`.`' || replace(changes.table_name, '`', '``') || '`@0'
{%- endset -%}
{{ ticdc.takes(progress, is_idle=is_idle, rebuilt=plan.rebuilt or []) }}
with

{% if plan.has_keyless_rows -%}
keyless_events as (

    select * from {{ whole_rows }}
    where
        is_keyless
        {%- if not settled.run_id %}
        and {{ is_unsettled }}
        {%- else %}
        and commit_ts >= {{ plan.first_keyless_commit_ts }}

),

-- what arrives may go on where an offset range of an earlier run ended: all changes of its commits are numbered
keyless_commits as (

    select distinct
        feed,
        schema_name,
        table_name,
        commit_ts
    from keyless_events
    where {{ is_unsettled }}

),

events_of_keyless_commits as (

    select keyless_events.*
    from keyless_events
    left semi join keyless_commits
        on
            keyless_events.feed = keyless_commits.feed
            and keyless_events.schema_name = keyless_commits.schema_name
            and keyless_events.table_name = keyless_commits.table_name
            and keyless_events.commit_ts = keyless_commits.commit_ts
        {%- endif %}

),

{% endif -%}
{% if plan.some_are_doubled -%}
all_rows as (

    select *
    from {{ ticdc.rows_to_take(plan.waits_for_cells, columns_of_changes, of_whole, of_waiting) }}

),

doubled_positions as (

    {{ ticdc.doubled_positions("all_rows", is_unsettled) }}

),

rows_and_positions as (

    select /*+ broadcast(doubled_positions) */
        events.*,
        doubled_positions.feed is not null as is_doubled
    from all_rows as events
    left join doubled_positions
        on
            events.feed = doubled_positions.feed
            and events.topic = doubled_positions.topic
            and events.`partition` = doubled_positions.`partition`
            and events.`offset` = doubled_positions.`offset`
            and events.event_index = doubled_positions.event_index
    where {{ ticdc.is_unsettled_event(settled, progress, rows="events.") }}

),

rows_once as (

    {{ ticdc.rows_once("rows_and_positions") }}

),

{% endif -%}
versions as (

    select * from {{ ticdc.catalogue_records("version") }} as table_versions

),

{% if true in plan.waits_for_cells -%}
rows_with_version as (

    {{ ticdc.rows_with_version(
        "rows_once" if plan.some_are_doubled else waiting_rows, "waiting_rows.waits_for_cells and " ~ waits_unsettled
    ) }}

),

completed_rows as (

    select
        *,
        ticdc_complete_row(
            protocol,
            known_schema,
            {{ ticdc.by_feed(ticdc.feeds(), "options") }},
            before,
            after,
            lossy
        ) as resolved
    from rows_with_version

),

completed_events as (

    select
        * except (before, after, lossy, resolved),
        resolved.before,
        resolved.after,
        {{ ticdc.lossy_of_resolved() }} as lossy,
        cast(null as bigint) as image_hash,
        1 as copy
    from completed_rows

),

{% endif -%}
{% if false in plan.waits_for_cells -%}
events as (

    select
        *,
        -- without a commit TSO, changes of one key within a millisecond differ only in their images
        if(commit_ts_exact, null, xxhash64(before, after)) as image_hash,
        1 as copy
    from {{ "rows_once" if plan.some_are_doubled else whole_rows }}
    where {{ is_unsettled }}{{ " and not waits_for_cells" if plan.some_are_doubled }}
    {%- if plan.has_keyless_rows %} and not is_keyless

    union all

    {{ ticdc.numbered_copies("events_of_keyless_commits" if settled.run_id else "keyless_events") }}
    {%- endif %}

),

{% endif -%}
changes as (

    {% if false in plan.waits_for_cells %}{{ ticdc.changes_of_events("events") }}{% endif %}
    {{ "union all" if plan.waits_for_cells | length > 1 }}
    {% if true in plan.waits_for_cells %}{{ ticdc.changes_of_events("completed_events") }}{% endif %}

),

keys as (

    select
        {{ identity }},
        {% if not is_exact -%}
        if(commit_ts_exact, null, xxhash64(json_object_keys(if(op = 'delete', before, after)))) as columns_hash,
        if(commit_ts_exact, null, xxhash64(if(op = 'delete', before, after))) as row_hash,
        {% endif -%}
        {% if is_mixed -%}
        commit_ts_exact,
        shiftright(commit_ts, 18) as commit_ms,
        xxhash64(before, after) as row_image,
        {% endif -%}
        {% if is_narrowed -%}
        xxhash64(
            {{ "shiftright(commit_ts, 18)" if is_mixed else "commit_ts" }}, row_key, table_name, schema_name, feed
        ) as key_hash,
        {% endif -%}
        topic,
        `partition`,
        `offset`,
        event_index
    from changes

),

{% if is_narrowed -%}
-- numbers alone tell that nearly all changes are alone with their key at their commit
contended_hashes as (

    select key_hash
    from keys
    group by key_hash
    having count(*) > 1

),

contended_keys as (

    select /*+ broadcast(contended_hashes) */ keys.*
    from keys
    left semi join contended_hashes on keys.key_hash = contended_hashes.key_hash

),

{% endif -%}
{% if has_rows -%}
known_changes as (

    select * from {{ ticdc.rows_of(this, plan.rebuilt) }} as known

),

{% endif -%}
{% if has_rows and not is_exact -%}
-- a run may end within a millisecond
known_puts as (

    select
        {{ key_at_commit }},
        collect_set(
            struct(xxhash64(json_object_keys(after)) as columns_hash, xxhash64(after) as row_hash)
        ) as known_puts
    from known_changes
    where op <> 'delete' and not commit_ts_exact and commit_ts >= {{ plan.first_commit_ts }}
    group by {{ key_at_commit }}

),

{% endif -%}
occurrences as (

    select
        *,
        {% if not is_exact -%}
        concat(
            collect_set(
                if(op = 'delete', null, struct(columns_hash, row_hash))
            ) over (partition by {{ key_at_commit }}),
            {{ "coalesce(known_puts, array())" if has_rows else "array()" }}
        ) as puts,
        {% endif -%}
        {% if is_mixed -%}
        commit_ts_exact <> first(commit_ts_exact) over (
            partition by {{ moment }} order by topic, `partition`, `offset`, event_index
        ) as is_told_otherwise,
        {% endif -%}
        -- a rank, as a message that the source holds twice would be a repeat of itself, and both be dropped
        rank() over (
            partition by {{ identity }} order by topic, `partition`, `offset`, event_index
        ) as occurrence
    from {{ "contended_keys" if is_narrowed else "keys" }}
    {%- if has_rows and not is_exact %}
    left join known_puts using ({{ key_at_commit }})
    {%- endif %}

),

{% if loads -%}
loaded_rows as (

    {{ ticdc.loaded_rows(loads) }}

),

ranked_loaded_rows as (

    select
        *,
        row_number() over (
            partition by feed, table_id, table_incarnation, loaded.row_key order by loaded.row
        ) as place
    from loaded_rows

),

{% endif -%}
marks as (

    select
        {{ position }},
        occurrence > 1{{ " or is_told_otherwise" if is_mixed }} as is_repeat,
        {{ is_replaced }} as is_replaced
    from occurrences
    where occurrence > 1{{ " or is_told_otherwise" if is_mixed }}{{ " or " ~ is_replaced if not is_exact }}

    {% if has_rows %}
    union all

    select
        keys.feed,
        keys.topic,
        keys.`partition`,
        keys.`offset`,
        keys.event_index,
        keys.op,
        true as is_repeat,
        false as is_replaced
    from keys
    inner join known_changes as known
        on
            keys.feed = known.feed
            and keys.schema_name = known.schema_name
            and keys.table_name = known.table_name
            and keys.row_key = known.row_key
            and keys.op = known.op
            and keys.copy = known.copy
            {%- if is_mixed %}
            and keys.commit_ms = shiftright(known.commit_ts, 18)
            and if(
                keys.commit_ts_exact = known.commit_ts_exact,
                keys.commit_ts = known.commit_ts and keys.image_hash <=> known.image_hash,
                keys.row_image = xxhash64(known.before, known.after)
            )
            and known.commit_ts >= {{ plan.first_commit_ts - plan.first_commit_ts % 2 ** 18 }}
            {%- else %}
            and keys.commit_ts = known.commit_ts
            and keys.image_hash <=> known.image_hash
            and known.commit_ts >= {{ plan.first_commit_ts }}
            {%- endif %}
    {% endif %}

),

marked as (

    select
        {{ position }},
        max(is_repeat) as is_repeat,
        max(is_replaced) as is_replaced
    from marks
    group by {{ position }}

),

changes_with_version as (

    select /*+ broadcast(marked, versions) */
        changes.schema_name,
        changes.table_name,
        coalesce(versions.table_id, {{ unseen_table_id }}) as table_id,
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
            and (changes.commit_ts_exact or coalesce(marked.is_replaced, false)),
            0,
            1
        ) as apply_rank,
        changes.row_key,
        changes.before,
        changes.after,
        changes.image_hash,
        changes.copy,
        changes.lossy,
        -- what only the version of its table tells of cells of a change that may stand for something else
        {% if ticdc.facts(ref("int_ticdc__catalogue")).has_unsure_cells -%}
        ticdc_unsure_cells(
            {{ ticdc.by_feed(ticdc.feeds(), "protocol", "changes.") | indent(4) }},
            if(versions.has_unsure_cells, versions.table_schema, null),
            {{ ticdc.by_feed(ticdc.feeds(), "options", "changes.") | indent(4) }},
            if(versions.has_unsure_cells, changes.before, null),
            if(versions.has_unsure_cells, changes.after, null),
            if(versions.has_unsure_cells, changes.lossy, null)
        ) as told,
        {%- else -%}
        cast(null as struct<before: string, after: string, lossy: array<string>>) as told,
        {%- endif %}
        changes.topic,
        changes.`partition`,
        changes.`offset`,
        changes.event_index,
        {% if plan.shown_through -%}
        coalesce(
            changes.commit_ts <= {{ ticdc.of_feed(plan.shown_through, feed="changes.feed") }}
            {{- " and coalesce(shown_before.is_late, true)" if plan.shown_again }}, false
        ) as is_late,
        {%- else -%}
        false as is_late,
        {%- endif %}
        {{ ticdc.run_id() }} as run_id,
        changes.feed
    from changes
    -- an anti join would find the marks again for each part of the union
    left join marked
        on
            changes.feed = marked.feed
            and changes.topic = marked.topic
            and changes.`partition` = marked.`partition`
            and changes.`offset` = marked.`offset`
            and changes.event_index = marked.event_index
            and changes.op = marked.op
    left join versions
        on
            {{ ticdc.is_of_version("changes") }}
    {%- if plan.shown_again %}
    left join (
        select
            {{ position }},
            max(is_late) as is_late
        from {{ ticdc.rows_of(this) }} as known
        where feed in ({{ ticdc.text_literals(plan.shown_again) }})
        group by {{ position }}
    ) as shown_before
        on {% for column in position.split(", ") %}changes.{{ column }} = shown_before.{{ column }}{{ " and " if not loop.last }}{% endfor %}
    {%- endif %}
    where not coalesce(marked.is_repeat, false)
    {%- if loads %}

    union all

    select
        ranked.schema_name,
        ranked.table_name,
        ranked.table_id,
        ranked.table_incarnation,
        ranked.version_from_ts,
        ranked.commit_ts,
        timestamp_millis(shiftright(ranked.commit_ts, 18)) as commit_at,
        true as commit_ts_exact,
        cast(null as bigint) as start_ts,
        cast(null as bigint) as physical_table_id,
        'load' as op,
        1 as apply_rank,
        ranked.loaded.row_key,
        cast(null as string) as before,
        ranked.loaded.row as after,
        cast(null as bigint) as image_hash,
        ranked.place as copy,
        ranked.loaded.lossy,
        cast(null as struct<before: string, after: string, lossy: array<string>>) as told,
        '' as topic,
        0 as `partition`,
        cast(0 as bigint) as `offset`,
        0 as event_index,
        false as is_late,
        {{ ticdc.run_id() }} as run_id,
        ranked.feed
    from ranked_loaded_rows as ranked
    -- equal rows of a table without key count each
    where ranked.place = 1 or array_contains(ranked.loaded.lossy, '*:no_key')
    {%- endif %}

),

new_changes as (

    select
        * except (before, after, lossy, told),
        coalesce(told.before, before) as before,
        coalesce(told.after, after) as after,
        coalesce(told.lossy, lossy) as lossy
    from changes_with_version

)

select
    new_changes.*,
    {% if rebuilt_feeds -%}
    coalesce(known_before.first_run_id, new_changes.run_id) as first_run_id
    {%- else -%}
    run_id as first_run_id
    {%- endif %}
from new_changes
{%- if rebuilt_feeds %}
{{ ticdc.join_first_runs(
    "new_changes", ticdc.rows_of(this), "xxhash64(table_id, table_incarnation, op, copy, before, after)",
    "feed in (" ~ ticdc.text_literals(rebuilt_feeds) ~ ")"
) }}
{%- endif %}
