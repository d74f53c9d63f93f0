{{ config(materialized="ticdc_plan") }}
-- depends_on: {{ ref("int_ticdc__waiting_rows") }}
-- depends_on: {{ ref("int_ticdc__resolved_rows") }}
{%- set staged_runs, exported_rows = ref("int_ticdc__staged_runs"), ref("int_ticdc__exported_rows") -%}
{%- set events, catalogue = ref("int_ticdc__events"), ref("int_ticdc__catalogue") -%}
{%- set rows = ref("int_ticdc__rows") -%}
{%- set progress = ticdc.planned(ref("int_ticdc__bounds"), [staged_runs, catalogue]) -%}
{%- set settled = ticdc.settled_later("int_ticdc__changes") -%}
{%- set loads, loaded = fromjson(ticdc.facts(exported_rows).get("loads", "[]")), settled.get("loaded", {}) -%}
{%- set others = local_md5(tojson([progress, loads, ticdc.views_key()])) -%}
{%- set of, before = {"catalogue": ticdc.batches(catalogue), "others": others}, settled.get("of", {}) -%}
{#- a taken load can only have changed with the versions of its table -#}
{%- set may_be_changed = loads and loaded and before.get("catalogue") != of.catalogue -%}
{%- set also = "feed in (select feed from loads where is_changed)" if may_be_changed else none -%}
{%- set is_unsettled = ticdc.is_unsettled_event(settled, progress, also) -%}
{%- set rebuilt, marks = ticdc.feeds_to_rebuild(settled, progress), ticdc.facts(staged_runs) -%}
{#- else what runs noted of their messages tells of their rows -#}
{%- set reads_rows = ticdc.is_keyed_anew() != "false" or marks.some_wait or marks.redriven_run_id -%}
{%- set is_idle = before == of or not ticdc.is_built(rows) %}
{{ ticdc.takes({"of": of}, is_idle=is_idle) }}
with

{% if loads -%}
loads as (

    select
        *,
        id in ({{ ticdc.text_literals([""] + loaded.keys() | list) }})
        and fingerprint is distinct from {{ ticdc.of_feed(loaded, "string", "id") }} as is_changed
    from (
        select
            loads.*,
            if(versions.feed is null, null, md5(to_json(struct(table_id, table_incarnation, columns)))) as fingerprint,
            coalesce(contains(columns, '"key":'), true) as has_key
        from inline(from_json(
            {{ ticdc.text_literal(tojson(loads)) }},
            'array<struct<
                id: string, feed: string, schema: string, table: string, commit_ts: bigint, key_columns: string
            >>',
            map('mode', 'FAILFAST')
        )) as loads
        left join {{ ticdc.catalogue_records("version") }} as versions
            on
                loads.feed = versions.feed
                and lower(loads.schema) = versions.schema_key
                and lower(loads.table) = versions.table_key
                and loads.commit_ts = versions.valid_from_ts
    ) as loads_with_version

),

{% endif -%}
-- the rows that changes are made of, a row for each feed
arrivals as (

    {% if reads_rows -%}
    select
        feed,
        min(commit_ts) as first_commit_ts,
        min(if(is_keyless, commit_ts, null)) as first_keyless_commit_ts,
        bool_or(op = 'update') as some_are_updates,
        bool_or(not commit_ts_exact) as some_are_inexact,
        bool_or(commit_ts_exact) as some_are_exact,
        bool_or(not waits_for_cells) as some_are_whole,
        bool_or(waits_for_cells) as some_wait_for_cells,
        {{ marks.some_have_gaps }} as some_have_gaps
    from {{ ticdc.rows_to_take(
        [false, true], ["feed", "commit_ts", "commit_ts_exact", "op", "run_id"], ["is_keyless"],
        ["false as is_keyless"]
    ) }}
    where {{ is_unsettled }}
    group by feed
    {%- else -%}
    -- of a run that was not settled whole, with rows that are settled
    select
        feed,
        min(first_commit_ts) as first_commit_ts,
        min(first_keyless_commit_ts) as first_keyless_commit_ts,
        bool_or(some_are_updates) as some_are_updates,
        bool_or(some_are_inexact) as some_are_inexact,
        {% if marks.some_are_inexact %}bool_or(exact_feeds.is_exact) is not null as some_are_exact,{% endif %}
        bool_or(some_are_whole) as some_are_whole,
        bool_or(some_wait_for_cells) as some_wait_for_cells,
        bool_or(not is_gapless) as some_have_gaps
    from {{ ticdc.rows_of(staged_runs) }} as staged_runs
    {%- if marks.some_are_inexact %}
    -- runs note whether some rows lack their commit, not whether all do
    left join (
        select distinct
            feed,
            true as is_exact
        from {{ events }}
        where kind = 'row' and commit_ts_exact and {{ is_unsettled }}
    ) as exact_feeds using (feed)
    {%- endif %}
    where
        protocol in ({{ ticdc.text_literals([""] + ticdc.protocols_in_use()) }})
        and (
            run_id > {{ settled.run_id }}
            {%- if settled.bounds %}
            or last_commit_ts > {{ ticdc.of_feed(settled.bounds) }}
            {%- endif %}
            {%- if rebuilt %}
            or feed in ({{ ticdc.text_literals(rebuilt) }})
            {%- endif %}
            {%- if also %}
            or {{ also }}
            {%- endif %}
        )
    group by feed
    having
        min(first_commit_ts) is not null
        and {{ ticdc.is_within("min(first_commit_ts)", progress.get("bounds", {})) }}
    {%- endif %}

),

all_arrivals as (

    select to_json(collect_list(struct(*))) as arrivals
    from arrivals

),

all_loads as (

    {% if loads -%}
    select to_json(collect_list(struct(*))) as loads
    from loads
    {%- else -%}
    select '[]' as loads
    {%- endif %}

)

select
    ticdc_changes_progress(
        all_arrivals.arrivals,
        all_loads.loads,
        {{ ticdc.text_literals([tojson(settled), tojson(progress), ticdc.run_id()]) }}
    ) as plan
from all_arrivals
cross join all_loads
