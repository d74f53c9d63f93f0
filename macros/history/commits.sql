{# The query of `ticdc__rows_as_of`, for the expression of a commit. #}
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

{# A query of all changes of rows through a commit, with `place`, which is 1 for the newest of each row. #}
{% macro changes_as_of(tso, row_changes) %}
    select
        *,
        row_number() over (
            partition by {{ ticdc.row_key_columns() }} order by {{ ticdc.row_order("desc") }}
        ) as place
    from (
        select changes.*
        from {{ row_changes }} as changes
        inner join (
            {{ ticdc.bounds_as_of(tso) }}
        ) as bounds
            on
                changes.feed = bounds.feed
                and changes.commit_ts <= bounds.as_of_ts
    ) as changes
{% endmacro %}

{# A query of each feed with the commit asked for. It fails where the feed had not begun by then, or is not complete
   through it. #}
{% macro bounds_as_of(tso) %}
    select
        feed,
        case
            when {{ tso }} < bounds.first_commit_ts
                then raise_error(
                    'ticdc: feed ' || feed || ' begins at commit ' || bounds.first_commit_ts
                    || ', got ' || {{ tso }}
                )
            when {{ tso }} > bounds.complete_through_ts
                then raise_error(
                    'ticdc: feed ' || feed || ' is complete through commit ' || bounds.complete_through_ts
                    || ', got ' || {{ tso }}
                )
            else {{ tso }}
        end as as_of_ts
    from {{ ticdc.ref("int_ticdc__publication") }}
    lateral view explode(feed_bounds) exploded as feed, bounds
{% endmacro %}

{# A query of what functions `_as_of` need of changes of rows, once for each interval in which the incarnation of the
   table was there. #}
{% macro live_changes(row_changes) %}
    select
        feed,
        table_id,
        table_incarnation,
        row_key,
        commit_ts,
        apply_rank,
        topic,
        `partition`,
        `offset`,
        event_index,
        after as row,
        row_commit_ts,
        lossy,
        live_from_ts,
        live_to_ts
    from (
        select
            changes.*,
            incarnations.live_from_ts,
            incarnations.live_to_ts
        from {{ row_changes }} as changes
        inner join (
            {{ ticdc.incarnation_intervals() }}
        ) as incarnations
            on
                changes.feed = incarnations.feed
                and changes.table_id = incarnations.table_id
                and changes.table_incarnation = incarnations.table_incarnation
    ) as live_changes
{% endmacro %}
