{% macro live_changes_as_of(table) -%}
select
    ranked.feed,
    ranked.table_id,
    ranked.table_incarnation,
    ranked.row_key,
    ranked.after as row,
    ranked.row_commit_ts as commit_ts,
    ranked.lossy
from (
    {{ ticdc.changes_as_of("tso", ticdc.changes_of_table(table)) }}
) as ranked
inner join (
    {{ ticdc.incarnation_intervals() }}
) as incarnations
    on
        ranked.feed = incarnations.feed
        and ranked.table_id = incarnations.table_id
        and ranked.table_incarnation = incarnations.table_incarnation
where
    ranked.place = 1
    and ranked.after is not null
    and incarnations.live_from_ts <= tso
    and coalesce(incarnations.live_to_ts > tso, true)
{%- endmacro %}
