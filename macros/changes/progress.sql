{# Gives how far the staged events reach: `run_id`, the newest dbt run among them, `bounds`, feed to the TSO through
   which its changes are shown, and `redriven`, feed to the newest run from which on it is made anew: one that made
   something of its dead letters, or in which it came out of order or, as `late` tells, below its bound. A feed
   without a bound is shown as far as it was seen. Asks the UDF `ticdc_event_progress` where something may have come
   since. #}
{% macro event_progress(settled) %}
    {% set catalogue = ref("int_ticdc__catalogue") %}
    {% set staged_runs, visibility = ref("int_ticdc__staged_runs"), var("ticdc__visibility", "complete") %}
    {% set made_of = [ticdc.batches(staged_runs), ticdc.batches(catalogue), visibility, ticdc.views_key()] %}
    {% set of, ddl_feeds = local_md5(tojson(made_of)), ticdc.feeds_whose_protocol("sends_ddl", true) %}
    {% set settings = {"is_bounded": visibility == "complete", "ddl_feeds": ddl_feeds | map(attribute="name") | list} %}
    {% set query %}
    select ticdc_event_progress(
        to_json(collect_list(struct(*))), {{ ticdc.text_literals([tojson(settled), tojson(settings)]) }}
    )
    from (
        select
            feed, max(complete_through_ts) as complete_through_ts, max(last_run_id) as last_run_id,
            max(redriven_run_id) as redriven_run_id
        from {{ ref("int_ticdc__completeness") }}
        group by feed
    )
    left join (
        select
            feed, min(first_row_ts) as first_row_ts, max(last_row_ts) as last_row_ts, min(first_ddl_ts) as first_ddl_ts,
            max(last_ddl_ts) as last_ddl_ts
        from {{ ticdc.rows_of(staged_runs) }}
        where run_id > {{ settled.run_id }}
        group by feed
    ) using (feed)
    {% endset %}
    {% set rows = ticdc.rows_if_built(staged_runs, query) if settled.of != of else [] %}
    {% if not rows %}{% do return(settled) %}{% endif %}
    {% set found = fromjson(rows[0][0]) %}
    {% set progress = dict(found.progress, of=of, catalogue=ticdc.batches(catalogue)) %}
    {% set out_of_order = ticdc.events_out_of_order(found.suspects, settled.run_id) if found.suspects else "" %}
    {% for feed, kind, commit_ts in (run_query(out_of_order).rows if out_of_order else []) %}
        {% set cause = {"kind": kind ~ "_out_of_order", "run_id": progress.run_id, "commit_ts": commit_ts | int} %}
        {% do progress.redriven.update({feed: progress.run_id}) %}
        {% do progress.causes.update({feed: cause}) %}
    {% endfor %}
    {% for feed, commit_ts in ticdc.feeds_shown_otherwise(settled).items() %}
        {# one that is made anew for its dead letters is no other for its DDL #}
        {% if progress.redriven.get(feed, 0) == settled.get("redriven", {}).get(feed, 0) %}
            {% set cause = {"kind": "ddl_below_bound", "run_id": ticdc.run_id() | int, "commit_ts": commit_ts | int} %}
            {% do progress.late.update({feed: ticdc.run_id() | int}) %}
            {% do progress.causes.update({feed: cause}) %}
        {% endif %}
        {% do progress.redriven.update({feed: ticdc.run_id() | int}) %}
    {% endfor %}
    {% do return(progress) %}
{% endmacro %}

{# Gives the SQL of the feeds, of those that may have come out of order, of which an event that is no repeat did, with
   the kind and the commit of the first one. #}
{% macro events_out_of_order(suspects, run_id) %}
select
    feed,
    min_by(kind, commit_ts) as kind,
    min(commit_ts) as commit_ts
from (
    select
        feed,
        kind,
        min(commit_ts) as commit_ts,
        min(run_id) as first_run_id
    from {{ ref("int_ticdc__events") }}
    where
        kind in ('row', 'ddl')
        and (
            {%- for suspect in suspects %}
            {{ "or " if not loop.first }}(feed = {{ ticdc.text_literal(suspect.feed) }}
                and commit_ts <= if(kind = 'ddl', {{ suspect.ddl_through_ts }}, {{ suspect.rows_through_ts }}))
            {%- endfor %}
        )
    -- what comes again may tell its commit or the millisecond of it
    group by
        feed, kind, shiftright(commit_ts, 18), schema_name, table_name, ddl_query, op, row_key, before_key,
        xxhash64(before, after)
)
where first_run_id > {{ run_id }}
group by feed
{% endmacro %}

{# Gives the feeds of which changes are shown with another version of their table than the catalogue has for them now,
   as DDL came below the bound of their feed, each with the commit of the first such version. #}
{% macro feeds_shown_otherwise(settled) %}
    {%- set catalogue, changes = ref("int_ticdc__catalogue"), ticdc.relation_of("int_ticdc__changes") -%}
    {%- set now, known, shown = ticdc.batches(catalogue), settled.get("catalogue"), {} -%}
    {%- if not changes or known is none or known == now -%}{%- do return({}) -%}{%- endif -%}
    {#- rows beyond the bound are shown where the feed had none before -#}
    {%- for feed, bound in settled.bounds.items() -%}
        {%- do shown.update({feed: [bound, settled.get("newest", {}).get(feed, [0])[0]] | max}) -%}
    {%- endfor -%}
    {%- set query %}
with

both_versions as (

    select
        *,
        coalesce(least(rows_to_ts, {{ ticdc.of_feed(shown) }}), {{ ticdc.of_feed(shown) }}) as shown_to_ts
    from {{ catalogue }} as catalogue
    where
        {{ ticdc.is_of_batches(known + now, {}) }}
        and record = 'version'
        and rows_after_ts < {{ ticdc.of_feed(shown) }}

),

changed_names as (

    select distinct
        feed,
        schema_key,
        table_key
    from (
        select feed, schema_key, table_key
        from both_versions
        group by feed, schema_key, table_key, rows_after_ts, shown_to_ts, table_id, table_incarnation, valid_from_ts
        having count(distinct batch_id) = 1
    )

)

select /*+ broadcast(changed_names, versions) */
    changes.feed,
    min(coalesce(versions.valid_from_ts, changes.version_from_ts)) as commit_ts
from {{ ticdc.rows_of(changes) }} as changes
left semi join changed_names
    on changes.feed = changed_names.feed
    and lower(changes.schema_name) = changed_names.schema_key
    and lower(changes.table_name) = changed_names.table_key
left join {{ ticdc.catalogue_records("version") }} as versions
    on {{ ticdc.is_of_version("changes") }}
where
    changes.op <> 'load'
    and (changes.table_id, changes.table_incarnation, changes.version_from_ts) <> (
        coalesce(versions.table_id, changes.table_id),
        coalesce(versions.table_incarnation, 1),
        coalesce(versions.valid_from_ts, 0)
    )
group by changes.feed
    {%- endset -%}
    {%- do return(dict(run_query(query).rows | list) if shown else {}) -%}
{% endmacro %}

{# Gives what the changes of this run are made of: `progress`, which is noted, the initial `loads` that are taken,
   `first_commit_ts`, the smallest TSO or 0, `has_keyless_rows`, whether any row is of a table without key,
   `first_keyless_commit_ts`, the smallest TSO of these or 0, `is_exact`, whether all rows have their commit TSO,
   `waits_for_cells`, the values of that column that they have, `some_are_doubled`, whether the source holds a
   message twice, `is_mixed`, whether rows may come again that told their commit otherwise, and `has_many_rows`; the
   feeds that are `rebuilt`; which changes are late, by `shown_through` and `shown_again`; and whether there is nothing
   to take, `is_idle`. Asks the UDF `ticdc_changes_progress` where something may have come since. #}
{% macro changes_progress(settled) %}
    {% set rows, progress = ref("int_ticdc__rows"), ticdc.settled(ref("int_ticdc__resolved_rows")) %}
    {% set catalogue, exported_rows = ref("int_ticdc__catalogue"), ref("int_ticdc__exported_rows") %}
    {% set loads = ticdc.initial_loads(exported_rows) if execute else [] %}
    {% set others = local_md5(tojson([progress, loads, ticdc.views_key()])) %}
    {% set of, before = {"catalogue": ticdc.batches(catalogue), "others": others}, settled.get("of", {}) %}
    {# a taken load can only have changed with the versions of its table #}
    {% set may_be_changed = loads and settled.get("loaded") and before.get("catalogue") != of.catalogue %}
    {% set loaded = settled.get("loaded", {}) %}
    {% set also = "feed in (select feed from loads where is_changed)" if may_be_changed else none %}
    {% set query %}
    {% if loads -%}
    with loads as (

        select
            *,
            id in ({{ ticdc.text_literals([""] + loaded.keys() | list) }})
            and fingerprint is distinct from {{ ticdc.of_feed(loaded, "string", "id") }} as is_changed
        from (
            select
                loads.*,
                if(
                    versions.feed is null, null, md5(to_json(struct(table_id, table_incarnation, columns)))
                ) as fingerprint,
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
        )

    )
    {% endif %}
    select ticdc_changes_progress(
        arrivals, loads, {{ ticdc.text_literals([tojson(settled), tojson(progress), ticdc.run_id()]) }}
    )
    from (
        select to_json(collect_list(struct(*))) as arrivals
        from (
            {{ ticdc.arrivals_by_feed(settled, progress, also) }}
        )
    )
    cross join (select {{ "to_json(collect_list(struct(*))) as loads from loads" if loads else "'[]' as loads" }})
    {% endset %}
    {% set found = ticdc.rows_if_built(rows, query) if settled.of != of else [] %}
    {% if found %}
        {% set found = fromjson(found[0][0]) %}
        {% do found.progress.update({"of": of}) %}
        {% do found.update({
            "some_are_doubled": found.some_have_gaps and ticdc.some_are_doubled(settled, found),
        }) %}
        {% do return(found) %}
    {% endif %}
    {% do return({
        "progress": settled, "loads": [], "first_commit_ts": 0, "has_keyless_rows": false,
        "first_keyless_commit_ts": 0, "is_exact": true, "waits_for_cells": [false], "some_are_doubled": false,
        "is_mixed": false, "has_many_rows": false, "rebuilt": [], "shown_through": {}, "shown_again": [],
        "is_idle": settled.run_id > 0,
    }) %}
{% endmacro %}

{# Tells whether the source holds any message of this run twice. Many topics have gaps, and few hold repeats: to drop
   these makes the plan of the changes four times as large. #}
{% macro some_are_doubled(settled, plan) %}
    {% set columns = ["feed", "topic", "`partition`", "`offset`", "event_index", "commit_ts", "run_id"] %}
    {% set rows = ticdc.rows_to_take(plan.waits_for_cells, columns) %}
    {% set doubled = ticdc.doubled_positions(rows, ticdc.is_unsettled_event(settled, plan.progress)) %}
    {% do return(run_query(doubled ~ " limit 1").rows | length > 0) %}
{% endmacro %}

{# Gives the SQL of the rows that the changes of this run are made of, a row for each feed that
   `ticdc_changes_progress` reads. Where no row was ever resolved by itself or driven again, what runs noted of their
   messages tells it: of a run that was not settled whole, with rows that are settled. #}
{% macro arrivals_by_feed(settled, progress, also=none) %}
{%- set columns = ["feed", "commit_ts", "commit_ts_exact", "op", "run_id"] -%}
{%- set staged_runs = ref("int_ticdc__staged_runs") -%}
{%- set redriven = ticdc.feeds_to_rebuild(settled, progress) -%}
{%- set marks = ticdc.staged_marks() -%}
{%- if ticdc.is_keyed_anew() != "false" or marks.some_wait or marks.redriven_run_id is not none %}
select
    feed,
    min(commit_ts) as first_commit_ts,
    min(if(is_keyless, commit_ts, null)) as first_keyless_commit_ts,
    bool_or(op = 'update') as some_are_updates,
    bool_or(not commit_ts_exact) as some_are_inexact,
    bool_or(commit_ts_exact) as some_are_exact,
    bool_or(not waits_for_cells) as some_are_whole,
    bool_or(waits_for_cells) as some_wait_for_cells,
    {{ marks.some_have_gaps }} as some_have_gaps,
    count(*) as messages
from {{ ticdc.rows_to_take([false, true], columns, ["is_keyless"], ["false as is_keyless"]) }}
where {{ ticdc.is_unsettled_event(settled, progress, also) }}
group by feed
{%- else %}
select
    feed,
    min(first_commit_ts) as first_commit_ts,
    min(first_keyless_commit_ts) as first_keyless_commit_ts,
    bool_or(some_are_updates) as some_are_updates,
    bool_or(some_are_inexact) as some_are_inexact,
    {% if marks.some_are_inexact %}bool_or(exact_feeds.is_exact) is not null as some_are_exact,{% endif %}
    bool_or(some_are_whole) as some_are_whole,
    bool_or(some_wait_for_cells) as some_wait_for_cells,
    bool_or(not is_gapless) as some_have_gaps,
    sum(messages) as messages
from {{ ticdc.rows_of(staged_runs) }} as staged_runs
{%- if marks.some_are_inexact %}
-- runs note whether some rows lack their commit, not whether all do
left join (
    select distinct feed, true as is_exact from {{ ref("int_ticdc__events") }}
    where kind = 'row' and commit_ts_exact and {{ ticdc.is_unsettled_event(settled, progress, also) }}
) as exact_feeds using (feed)
{%- endif %}
where
    protocol in ({{ ticdc.text_literals([""] + ticdc.protocols_in_use()) }})
    and (
        run_id > {{ settled.run_id }}
        {%- if settled.bounds %}
        or last_commit_ts > {{ ticdc.of_feed(settled.bounds) }}
        {%- endif %}
        {%- if redriven %}
        or feed in ({{ ticdc.text_literals(redriven) }})
        {%- endif %}
        {%- if also %}
        or {{ also }}
        {%- endif %}
    )
group by feed
having
    min(first_commit_ts) is not null
    {%- if progress.bounds %}
    and {{ ticdc.is_within("min(first_commit_ts)", progress.bounds) }}
    {%- endif %}
{%- endif %}
{% endmacro %}

{# Gives the feeds whose changes are there and are made anew by this run, as a list. #}
{% macro rebuilt_feeds(settled, progress) %}
    {% if execute and ticdc.is_refresh() %}
        {% do return(ticdc.feeds() | map(attribute="name") | list if load_cached_relation(this) else []) %}
    {% endif %}
    {% do return(ticdc.feeds_to_rebuild(settled, progress)) %}
{% endmacro %}

{# Gives the SQL condition that an event is not settled yet and may be shown: it was staged or held back since the
   last run, or its feed is made anew, and lies within the bounds of now. #}
{% macro is_unsettled_event(settled, progress, also=none, rows="") -%}
    {%- set redriven, feed = ticdc.feeds_to_rebuild(settled, progress), rows ~ "feed" -%}
    {%- set is_as_before = settled.run_id == progress.run_id and settled.bounds == progress.bounds -%}
    {%- if settled.run_id and is_as_before and not (redriven or also) -%}
    false
    {%- else -%}
    (
        {{ rows }}run_id > {{ settled.run_id }}
        {%- if settled.bounds %}
        or {{ rows }}commit_ts > {{ ticdc.of_feed(settled.bounds, feed=feed) }}
        {%- endif %}
        {%- if redriven %}
        or {{ feed }} in ({{ ticdc.text_literals(redriven) }})
        {%- endif %}
        {%- if also %}
        or {{ also }}
        {%- endif %}
    )
    {%- if progress.bounds %}
    and {{ ticdc.is_within(rows ~ "commit_ts", progress.bounds, feed) }}
    {%- endif %}
    {%- endif -%}
{%- endmacro %}

{# Gives the SQL condition that a commit lies within the bound of its feed, or that the feed has none. #}
{% macro is_within(commit_ts, bounds, feed="feed") -%}
    {%- set bound = ticdc.of_feed(bounds, feed=feed) -%}
    if({{ bound }} is null, true, {{ commit_ts }} <= {{ bound }})
{%- endmacro %}

{# Gives the feeds, as a list, of which dead letters became something since a table was made: its rows of them are to
   be made anew. #}
{% macro feeds_to_rebuild(settled, progress) %}
    {% set feeds, before = [], settled.get("redriven", {}) %}
    {% for feed, run_id in progress.get("redriven", {}).items() if settled.run_id %}
        {% do feeds.append(feed) if run_id > before.get(feed, 0) %}
    {% endfor %}
    {% do return(feeds) %}
{% endmacro %}

{# Gives how `int_ticdc__latest` takes in new changes: `run_id`, the newest dbt run it has; `merge`, whether all
   states become one batch; `late`, whether a new change may be older than one that is there; `redriven`, the feeds
   that are made anew; `is_idle`; `settled`, what to note. Asks the UDF `ticdc_latest_state` where changes came.
   #}
{% macro latest_state() %}
    {% set settled, now = ticdc.settled(), ticdc.run_id() | int %}
    {% set changes, carried_rows = ref("int_ticdc__changes"), ref("int_ticdc__carried_rows") %}
    {% set redriven = ticdc.settled(changes).get("redriven", {}) %}
    {% for feed, run_id in ticdc.settled(carried_rows).get("redriven", {}).items() %}
        {% do redriven.update({feed: [run_id, redriven.get(feed, 0)] | max}) %}
    {% endfor %}
    {% set query %}
    select ticdc_latest_state(to_json(struct(*)), {{ ticdc.text_literals([tojson(settled), tojson(redriven)]) }})
    from (
        select count(*) as arrivals, min(commit_ts) as first_commit_ts, max(late_run_id) as late_run_id
        from ({{ ticdc.row_changes(carried_rows, settled.run_id) }})
        where run_id > {{ settled.run_id }}
    )
    cross join (
        select
            count_if(generation = {{ settled.get("base", 0) }}) as base_rows,
            count_if(generation > {{ settled.get("base", 0) }}) as later_rows,
            max(commit_ts) as last_commit_ts
        from {{ ticdc.rows_of(this) }}
    )
    {% endset %}
    {% set state = {"run_id": 0, "merge": true, "late": false, "redriven": [], "is_idle": false} %}
    {% set rebuilt = ticdc.feeds_to_rebuild(settled, {"redriven": redriven}) %}
    {% set is_idle = not (rebuilt or ticdc.has_news([changes, carried_rows], settled.run_id)) %}
    {% if settled.get("base") and is_idle %}
        {% do state.update({"run_id": settled.run_id, "merge": false, "is_idle": true}) %}
    {% elif settled.get("base") %}
        {% do state.update(fromjson(ticdc.asked(query, [changes, carried_rows, this])[0][0])) %}
    {% endif %}
    {% set noted = {"run_id": now, "base": now if state.merge else settled.base, "redriven": redriven} %}
    {% do return(dict(state, settled=settled if state.is_idle else noted)) %}
{% endmacro %}
