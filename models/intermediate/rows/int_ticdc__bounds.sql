{{ config(materialized="ticdc_plan") }}
{%- set staged_runs, events = ref("int_ticdc__staged_runs"), ref("int_ticdc__events") -%}
{%- set completeness, catalogue = ref("int_ticdc__completeness"), ref("int_ticdc__catalogue") -%}
{%- set changes = ticdc.relation_of("int_ticdc__changes") -%}
{%- set resolved_rows = ticdc.relation_of("int_ticdc__resolved_rows") -%}
{%- set settled, visibility = ticdc.settled(), var("ticdc__visibility", "complete") -%}
{#- in a state of an older version the table of resolved rows settled it -#}
{%- set is_old = resolved_rows and not settled.run_id and not ticdc.is_refresh() -%}
{%- set settled = ticdc.settled(resolved_rows) if is_old else settled -%}
{%- set ddl_feeds = ticdc.feeds() | selectattr("sends_ddl") | map(attribute="name") | list -%}
{%- set now, known = ticdc.batches(catalogue), settled.get("catalogue") -%}
{%- set of = local_md5(tojson([ticdc.batches(staged_runs), now, visibility, ticdc.views_key()])) -%}
{%- set settings = tojson({"is_bounded": visibility == "complete", "ddl_feeds": ddl_feeds}) -%}
{%- set reach -%}
with

feeds as (

    select
        feed,
        max(complete_through_ts) as complete_through_ts,
        max(last_run_id) as last_run_id,
        max(redriven_run_id) as redriven_run_id
    from {{ completeness }}
    group by feed

),

arrivals as (

    select
        feed,
        min(first_row_ts) as first_row_ts,
        max(last_row_ts) as last_row_ts,
        min(first_ddl_ts) as first_ddl_ts,
        max(last_ddl_ts) as last_ddl_ts
    from {{ ticdc.rows_of(staged_runs) }} as staged_runs
    where run_id > {{ settled.run_id }}
    group by feed

),

seen_feeds as (

    select *
    from feeds
    left join arrivals using (feed)

)

select
    ticdc_event_progress(
        to_json(collect_list(struct(*))), {{ ticdc.text_literals([tojson(settled), settings]) }}
    ) as found
from seen_feeds
{%- endset -%}
{%- set is_idle = settled.of == of or not ticdc.is_built(staged_runs) -%}
{%- set nothing = {"progress": settled, "suspects": [], "shown": {}} -%}
{%- set found = nothing if is_idle else fromjson(run_query(reach).rows[0][0]) -%}
{%- set may_be_otherwise = changes and found.shown and known is not none and known != now -%}
{%- set shown = ticdc.of_feed(found.shown) -%}
{#- most often nothing makes a feed be rebuilt -#}
{%- set answer = none if found.suspects or may_be_otherwise else found.progress %}
{{ ticdc.takes({"of": of, "catalogue": now, "answer": answer}, is_idle=is_idle) }}
with

{% if found.suspects -%}
-- of feeds that may have come out of order
suspects as (

    select
        feed,
        kind,
        min(commit_ts) as commit_ts,
        min(run_id) as first_run_id
    from {{ events }}
    where
        kind in ('row', 'ddl')
        and (
            {%- for suspect in found.suspects %}
            {{ "or " if not loop.first }}(feed = {{ ticdc.text_literal(suspect.feed) }}
                and commit_ts <= if(kind = 'ddl', {{ suspect.ddl_through_ts }}, {{ suspect.rows_through_ts }}))
            {%- endfor %}
        )
    -- what comes again may tell its commit or the millisecond of it
    group by
        feed, kind, shiftright(commit_ts, 18), schema_name, table_name, ddl_query, op, row_key, before_key,
        xxhash64(before, after)

),

{% endif -%}
out_of_order as (

    {% if found.suspects -%}
    select
        feed,
        min_by(kind, commit_ts) as kind,
        min(commit_ts) as commit_ts
    from suspects
    where first_run_id > {{ settled.run_id }}
    group by feed
    {%- else -%}
    select
        '' as feed,
        '' as kind,
        0 as commit_ts
    where false
    {%- endif %}

),

{% if may_be_otherwise -%}
both_versions as (

    select
        *,
        coalesce(least(rows_to_ts, {{ shown }}), {{ shown }}) as shown_to_ts
    from {{ catalogue }} as catalogue
    where
        {{ ticdc.is_of_batches(known + now, {}) }}
        and record = 'version'
        and rows_after_ts < {{ shown }}

),

changed_versions as (

    select
        feed,
        schema_key,
        table_key
    from both_versions
    group by feed, schema_key, table_key, rows_after_ts, shown_to_ts, table_id, table_incarnation, valid_from_ts
    having count(distinct batch_id) = 1

),

changed_names as (

    select distinct
        feed,
        schema_key,
        table_key
    from changed_versions

),

{% endif -%}
-- changes with another version of their table than the catalogue has for them now
shown_otherwise as (

    {% if may_be_otherwise -%}
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
    {%- else -%}
    select
        '' as feed,
        0 as commit_ts
    where false
    {%- endif %}

),

all_out_of_order as (

    select to_json(collect_list(struct(*))) as feeds
    from out_of_order

),

all_shown_otherwise as (

    select to_json(collect_list(struct(*))) as feeds
    from shown_otherwise

)

select
    ticdc_rebuilds(
        all_out_of_order.feeds,
        all_shown_otherwise.feeds,
        {{ ticdc.text_literals([tojson(found.progress), tojson(settled), ticdc.run_id()]) }}
    ) as progress
from all_out_of_order
cross join all_shown_otherwise
