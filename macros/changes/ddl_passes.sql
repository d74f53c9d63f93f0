{# Gives the SQL of the DDL that changes rows and was not applied yet, as a JSON text of the UDF `ticdc_ddl_passes`:
   passes of which each has at most one commit of each table, so that a table's commits keep their order, and the
   feeds whose rows are to be carried anew, as something came below what was settled. #}
{% macro ddl_passes(settled, through) %}
{%- set known = settled.get("of", {}).get("catalogue") -%}
{%- set catalogue = ref("int_ticdc__catalogue") -%}
{%- set now = ticdc.batches(catalogue) -%}
{%- set is_settled = "commit_ts <= coalesce(" ~ ticdc.of_feed(settled.bounds) ~ ", 0)" %}
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
    from {{ catalogue }} as catalogue
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

told_effects as (

    select
        feed,
        commit_ts,
        case
            when not {{ is_settled }} then 'new'
            when is_known and is_there then 'settled'
            when is_there then 'late'
            else 'gone'
        end as state,
        filter(array(table_id, to_table_id), each -> each is not null) as tables,
        moves_rows
    from effects
    where {{ is_settled }} or (is_there and {{ ticdc.is_within("commit_ts", through) }})

),

ddl_commits as (

    select
        feed,
        commit_ts,
        state,
        array_distinct(flatten(collect_list(if(moves_rows, tables, array())))) as moved_tables,
        array_distinct(flatten(collect_list(if(moves_rows, array(), tables)))) as widened_tables,
        -- what is settled matters beside what came late
        bool_or(bool_or(state in ('late', 'gone'))) over (partition by feed) as some_are_late
    from told_effects
    group by feed, commit_ts, state

)

select ticdc_ddl_passes(all_commits.ddl_commits, all_rows.late_rows)
from (
    select to_json(collect_list(struct(*))) as ddl_commits
    from ddl_commits
    where state = 'new' or some_are_late
) as all_commits
cross join (
    select to_json(collect_set(changes.feed)) as late_rows
    from {{ ticdc.rows_of(ref("int_ticdc__changes")) }} as changes
    left semi join (
        select
            feed,
            table_id,
            table_incarnation,
            max(commit_ts) as last_commit_ts
        from effects
        where commit_ts <= coalesce({{ ticdc.of_feed(settled.bounds) }}, 0)
        group by feed, table_id, table_incarnation
    ) as settled_effects
        on
            changes.feed = settled_effects.feed
            and changes.table_id = settled_effects.table_id
            and changes.table_incarnation = settled_effects.table_incarnation
            and changes.commit_ts <= settled_effects.last_commit_ts
    where
        changes.batch_id > {{ settled.run_id }}
        and changes.run_id > {{ settled.run_id }}
        and {{ "true" if settled.bounds else "false" }}
) as all_rows
{% endmacro %}

{# Gives the SQL condition that a row is of one of some DDL. #}
{% macro is_of_ddl_commits(ddl_commits, column) -%}
    {%- set of_feeds = {} -%}
    {%- for feed, commit_ts in ddl_commits -%}{%- do of_feeds.setdefault(feed, []).append(commit_ts) -%}{%- endfor -%}
    array_contains({{ ticdc.of_feed(of_feeds, "array<bigint>") }}, {{ column }})
{%- endmacro %}
