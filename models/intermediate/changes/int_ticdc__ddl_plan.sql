{{ config(materialized="ticdc_plan") }}
{%- set catalogue, changes = ref("int_ticdc__catalogue"), ref("int_ticdc__changes") -%}
{%- set settled, shown = ticdc.settled_later("int_ticdc__carried_rows"), ticdc.settled(changes) -%}
{%- set now, known = ticdc.batches(catalogue), settled.get("of", {}).get("catalogue") -%}
{%- set of = {"catalogue": now, "changes": ticdc.batches(changes), "through": shown.bounds} -%}
{%- set is_idle = settled.get("of") == of or not ticdc.is_built(changes) %}
{{ ticdc.takes({"of": of}, is_idle=is_idle) }}
with

effects as (

    select
        feed,
        commit_ts,
        table_id,
        table_incarnation,
        to_table_id,
        record = 'move' as moves_rows,
        bool_or({{ ticdc.is_of_batches(known, {}) if known is not none else "true" }}) as is_known,
        bool_or({{ ticdc.is_of_batches(now, {}) }}) as is_there
    from {{ catalogue }}
    where
        {{ ticdc.is_of_batches((now + (known or [])) | unique | list, {}) }}
        and (record = 'move' or (record = 'version' and row_effect = 'columns'))
        and feed in ({{ ticdc.text_literals(ticdc.feeds() | map(attribute="name") | list) }})
    group by
        feed,
        commit_ts,
        table_id,
        table_incarnation,
        to_table_id,
        record,
        -- what it does, but not the versions of its table that follow it
        kind,
        version_from_ts,
        columns,
        if(record = 'move', partitioning, null),
        partition_names,
        to_incarnation,
        to_version_from_ts,
        to_columns,
        to_partition_name,
        physical_id,
        regrouped

),

-- through the last commit of DDL that was applied to the rows of a table
settled_effects as (

    select
        feed,
        table_id,
        table_incarnation,
        max(commit_ts) as last_commit_ts
    from effects
    where commit_ts <= {{ ticdc.of_feed(settled.bounds) }}
    group by feed, table_id, table_incarnation

),

-- feeds of which rows came that lie before it
late_rows as (

    select distinct changes.feed
    from {{ ticdc.rows_of(changes) }} as changes
    left semi join settled_effects
        on
            changes.feed = settled_effects.feed
            and changes.table_id = settled_effects.table_id
            and changes.table_incarnation = settled_effects.table_incarnation
            and changes.commit_ts <= settled_effects.last_commit_ts
    where
        changes.batch_id > {{ settled.run_id }}
        and changes.run_id > {{ settled.run_id }}
        and {{ "true" if settled.bounds else "false" }}

),

all_effects as (

    select to_json(collect_list(struct(*))) as effects
    from effects

),

all_late_rows as (

    select to_json(collect_list(feed)) as feeds
    from late_rows

)

select
    ticdc_ddl_passes(
        all_effects.effects,
        all_late_rows.feeds,
        {{ ticdc.text_literals([tojson(settled), tojson(shown), ticdc.run_id()]) }}
    ) as plan
from all_effects
cross join all_late_rows
