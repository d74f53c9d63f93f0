{% macro ddl_passes(settled, through) %}
{%- set is_settled = "commit_ts <= coalesce(" ~ ticdc.of_feed(settled.bounds) ~ ", 0)" %}
with

effects as (

    {{ ticdc.ddl_effects(settled.get("of", {}).get("catalogue")) }}

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
    {{ ticdc.feeds_of_late_rows(settled) }}
) as all_rows
{% endmacro %}
