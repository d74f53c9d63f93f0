{% macro feeds_of_late_rows(settled) -%}
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
{%- endmacro %}
