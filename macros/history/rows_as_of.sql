{% macro rows_as_of(tso) %}
with

ranked as (

    {{ ticdc.changes_as_of(tso, ticdc.ref("int_ticdc__row_changes")) }}

),

versions as (

    select * from {{ ticdc.published_rows(ticdc.ref("int_ticdc__catalogue")) }} as catalogue
    where record = 'version' and valid_from_ts <= {{ tso }} and coalesce(valid_to_ts > {{ tso }}, true)

),

known_tables as (

    select distinct
        feed,
        table_id,
        table_incarnation
    from {{ ticdc.published_rows(ticdc.ref("int_ticdc__catalogue")) }} as catalogue
    where record = 'version'

)

select
    ranked.feed,
    coalesce(versions.schema_name, ranked.schema_name) as schema_name,
    coalesce(versions.table_name, ranked.table_name) as table_name,
    ranked.table_id,
    ranked.table_incarnation,
    ranked.row_key,
    ranked.after as row,
    ranked.row_commit_ts as commit_ts,
    timestamp_millis(shiftright(ranked.row_commit_ts, 18)) as commit_at,
    ranked.lossy
from ranked
left join versions
    on
        ranked.feed = versions.feed
        and ranked.table_id = versions.table_id
        and ranked.table_incarnation = versions.table_incarnation
left join known_tables
    on
        ranked.feed = known_tables.feed
        and ranked.table_id = known_tables.table_id
        and ranked.table_incarnation = known_tables.table_incarnation
where
    ranked.place = 1
    and ranked.after is not null
    and (versions.table_id is not null or known_tables.table_id is null)
{% endmacro %}
