{{
    config(
        materialized="ticdc_append",
        partition_by=["batch_id", "feed"],
        notes="note_split_tables",
    )
}}
-- depends_on: {{ ref("int_ticdc__events") }}
-- depends_on: {{ ref("int_ticdc__exported_rows") }}
-- depends_on: {{ ref("int_ticdc__waiting_rows") }}
{%- set settled, catalogue = ticdc.settled(), ref("int_ticdc__catalogue") -%}
{%- set plan = ticdc.planned(ref("int_ticdc__changes_plan"), [ref("int_ticdc__staged_runs"), catalogue]) -%}
{%- set plan = plan or {"progress": settled, "waits_for_cells": [false], "is_exact": true, "of": none} -%}
{%- set is_idle = plan.is_idle or (settled.run_id and settled.of == plan.of) -%}
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
{%- set keyless_partition = "feed, schema_name, table_name, commit_ts, topic, `partition`" -%}
{%- set position = "feed, topic, `partition`, `offset`, event_index, op" -%}
{%- set has_rows = ticdc.has_rows() -%}
{%- set is_unsettled = ticdc.is_unsettled_event(settled, progress) -%}
{#- many topics have gaps, and few hold messages twice: to drop these makes this query dearer to plan -#}
{%- set repeats -%}
select 1
from {{ ticdc.rows_to_take(
    plan.waits_for_cells, ["feed", "topic", "`partition`", "`offset`", "event_index", "commit_ts", "run_id"]
) }}
where {{ is_unsettled }}
group by feed, topic, `partition`, `offset`, event_index
having count(*) > 1
limit 1
{%- endset -%}
{#- unit tests, in which nothing can be asked, say it with the plan -#}
{%- set found = run_query(repeats).rows if plan.some_have_gaps and not is_idle else [] -%}
{%- set some_are_doubled = plan.some_are_doubled or found | length > 0 -%}
{%- set columns_but_images = [
    "feed", "topic", "`partition`", "`offset`", "event_index", "schema_name", "table_name",
    "physical_table_id", "commit_ts", "commit_ts_exact", "start_ts", "op", "row_key", "before_key",
] -%}
{#- of a table of which no message but its rows tells -#}
{%- set unseen_table_id -%}
'`' || replace(changes.schema_name, '`', '``') || '`.`' || replace(changes.table_name, '`', '``') || '`@0'
{%- endset -%}
{{ ticdc.takes(dict(progress, of=plan.of), is_idle=is_idle, rebuilt=plan.rebuilt or []) }}
with

all_rows as (

    select *
    from {{ ticdc.rows_to_take(
        plan.waits_for_cells,
        columns_but_images + ["before", "after", "lossy", "row_id", "table_schema_id", "run_id"],
        ["is_keyless", "cast(null as string) as protocol"],
        ["false as is_keyless", "protocol"]
    ) }} as rows_to_take

),

taken_rows as (

    {% if some_are_doubled -%}
    -- the source holds messages twice at one offset
    select * except (place)
    from (
        select
            *,
            row_number() over (
                -- a topic that was created again has other messages at the same offsets
                partition by {{ position }}, commit_ts, row_key, xxhash64(before, after)
                order by run_id
            ) as place
        from all_rows
        where {{ is_unsettled }}
    ) as doubled_rows
    where place = 1
    {%- else -%}
    select * from all_rows
    where {{ is_unsettled }}
    {%- endif %}

),

{% if plan.has_keyless_rows -%}
-- what arrives may go on where an offset range of an earlier run ended: all rows of its commits are numbered
keyless_commits as (

    select distinct
        feed,
        schema_name,
        table_name,
        commit_ts
    from all_rows
    where is_keyless and {{ is_unsettled }}

),

keyless_rows as (

    select
        all_rows.*,
        -- equal rows of different ids are told apart
        xxhash64(all_rows.before, all_rows.after, all_rows.row_id) as image_hash,
        lag(all_rows.`offset`) over in_partition as last_offset,
        lag(all_rows.event_index) over in_partition as last_index
    from all_rows
    left semi join keyless_commits
        on
            all_rows.feed = keyless_commits.feed
            and all_rows.schema_name = keyless_commits.schema_name
            and all_rows.table_name = keyless_commits.table_name
            and all_rows.commit_ts = keyless_commits.commit_ts
    where all_rows.is_keyless and all_rows.commit_ts >= {{ plan.first_keyless_commit_ts }}
    window in_partition as (
        partition by {{ keyless_partition }} order by `offset`, event_index
    )

),

offset_ranges as (

    select
        *,
        -- of a message that the source holds twice
        coalesce(`offset` = last_offset and event_index = last_index, false) as is_doubled,
        count_if(
            not coalesce(
                (`offset` = last_offset and event_index in (last_index, last_index + 1))
                or (`offset` = last_offset + 1 and event_index = 0),
                false
            )
        ) over (
            partition by {{ keyless_partition }} order by `offset`, event_index
        ) as offset_range
    from keyless_rows

),

-- equal changes of a commit that stand side by side are rows of their own; what comes again elsewhere, as a
-- replay does, has the numbers of the first
numbered_copies as (

    select
        *,
        if(
            row_id is null,
            row_number() over (
                partition by {{ keyless_partition }}, offset_range, op, image_hash
                order by `offset`, event_index
            ),
            1
        ) as copy
    from offset_ranges
    where not is_doubled

),

{% endif -%}
versions as (

    select * from {{ ticdc.catalogue_records("version") }} as table_versions

),

{% if true in plan.waits_for_cells -%}
rows_with_version as (

    {{ ticdc.rows_with_version("taken_rows", "waiting_rows.waits_for_cells") }}

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

{% endif -%}
events as (

    {% if false in plan.waits_for_cells -%}
    select
        {{ columns_but_images | join(",\n        ") }},
        before,
        after,
        lossy,
        -- without a commit TSO, changes of one key within a millisecond differ only in their images
        if(commit_ts_exact, null, xxhash64(before, after)) as image_hash,
        1 as copy
    from taken_rows
    where not waits_for_cells{{ " and not is_keyless" if plan.has_keyless_rows }}
    {%- if plan.has_keyless_rows %}

    union all

    select
        {{ columns_but_images | join(",\n        ") }},
        before,
        after,
        lossy,
        image_hash,
        copy
    from numbered_copies
    {%- endif %}
    {%- endif %}

    {{ "union all" if plan.waits_for_cells | length > 1 }}

    {% if true in plan.waits_for_cells -%}
    select
        {{ columns_but_images | join(",\n        ") }},
        resolved.before,
        resolved.after,
        array_union(resolved.lossy, flags_that_stay) as lossy,
        cast(null as bigint) as image_hash,
        1 as copy
    from completed_rows
    {%- endif %}

),

-- an update that changed the key is a delete and an insert
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
    from events
        lateral view explode(if(before_key is null, array(null), array('delete', 'insert'))) halves as half

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
        topic,
        `partition`,
        `offset`,
        event_index
    from changes

),

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
    from keys
    {%- if has_rows and not is_exact %}
    left join known_puts using ({{ key_at_commit }})
    {%- endif %}

),

{% if loads -%}
-- each as the version of its table shows it that is there at the commit of its load
loaded_rows as (

    select
        versions.schema_name,
        versions.table_name,
        versions.table_id,
        versions.table_incarnation,
        versions.valid_from_ts as version_from_ts,
        exported.commit_ts,
        ticdc_loaded_row(exported.row, versions.columns, exported.key_columns) as loaded,
        exported.feed
    from {{ ticdc.rows_of(ref("int_ticdc__exported_rows")) }} as exported
    inner join versions
        on
            exported.feed = versions.feed
            and lower(exported.schema_name) = versions.schema_key
            and lower(exported.table_name) = versions.table_key
            and exported.commit_ts >= versions.valid_from_ts
            and exported.commit_ts < coalesce(versions.valid_to_ts, exported.commit_ts + 1)
    where
        exported.row is not null
        and (
            {%- for load in loads %}
            (
                exported.feed = {{ ticdc.text_literal(load.feed) }}
                and exported.schema_name = {{ ticdc.text_literal(load.schema) }}
                and exported.table_name = {{ ticdc.text_literal(load.table) }}
                and exported.commit_ts = {{ load.commit_ts }}
            )
            {{- " or" if not loop.last }}
            {%- endfor %}
        )

),

-- rows of one key may come several times
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
    left join marked using ({{ position }})
    {%- if plan.shown_again %}
    left join (
        select
            {{ position }},
            max(is_late) as is_late
        from {{ ticdc.rows_of(this) }} as known
        where feed in ({{ ticdc.text_literals(plan.shown_again) }})
        group by {{ position }}
    ) as shown_before using ({{ position }})
    {%- endif %}
    left join versions
        on
            {{ ticdc.is_of_version("changes") }}
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
    coalesce(first_runs.first_run_id, new_changes.run_id) as first_run_id
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
