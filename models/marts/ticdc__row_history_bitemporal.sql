{%- set key = ticdc.row_key_columns() -%}
{%- set change = key ~ ", commit_ts, apply_rank, topic, `partition`, `offset`, event_index, live_from_ts" -%}
with

row_changes as (

    select * from {{ ref("int_ticdc__row_changes") }}

),

arrivals as (

    select
        *,
        -- what comes after it was known before it
        first_run_id > min(first_run_id) over (
            partition by {{ key }} order by {{ ticdc.row_order() }}
            rows between 1 following and unbounded following
        ) as came_late
    from row_changes
    where cause not in ('new_columns', 'kept')

),

late_arrivals as (

    select
        *,
        sort_array(collect_set(if(came_late, first_run_id, null)) over (partition by {{ key }})) as late_runs
    from arrivals

),

-- each run with late changes begins an edition of a row's story, which then grows at its end alone
editions as (

    select
        late_arrivals.*,
        edition
    from late_arrivals
        lateral view explode(
            sequence(size(filter(late_runs, late_run -> late_run <= first_run_id)), size(late_runs))
        ) exploded as edition

),

neighbours as (

    select
        *,
        greatest(first_run_id, get(late_runs, edition - 1)) as shown_run_id,
        get(late_runs, edition) as next_edition_run_id,
        lag(commit_ts) over one_story as last_commit_ts,
        lag(op) over one_story as last_op,
        lead(commit_ts) over one_story as next_commit_ts,
        lead(op) over one_story as next_op,
        lead(cause) over one_story as next_cause,
        lead(first_run_id) over one_story as next_run_id,
        lead(commit_ts, 2) over one_story as second_commit_ts,
        lead(op, 2) over one_story as second_op,
        lead(first_run_id, 2) over one_story as second_run_id
    from editions
    window one_story as (partition by {{ key }}, edition order by {{ ticdc.row_order() }})

),

incarnations as (

    {{ ticdc.incarnation_intervals() }}

),

ddl_runs as (

    select * from {{ ref("int_ticdc__ddl_runs") }}

),

known_incarnations as (

    select
        incarnations.*,
        -- an end that came with the first messages was never unknown: a redecode reads all of them
        greatest(began.run_id, if(ended.came_first, ended.run_id, null)) as live_from_run_id,
        if(incarnations.live_to_ts is null, null, coalesce(ended.run_id, 0)) as live_to_run_id
    from incarnations
    left join ddl_runs as began
        on incarnations.feed = began.feed and incarnations.live_from_ts = began.commit_ts
    left join ddl_runs as ended
        on incarnations.feed = ended.feed and incarnations.live_to_ts = ended.commit_ts

),

told_changes as (

    select
        neighbours.* except (shown_run_id, second_run_id),
        -- of the insert that makes an update of the delete before it
        if(
            neighbours.commit_ts_exact
            and neighbours.next_op = 'delete'
            and neighbours.second_op = 'insert'
            and neighbours.second_commit_ts = neighbours.next_commit_ts,
            neighbours.second_run_id,
            null
        ) as insert_run_id,
        known_incarnations.current_schema_name,
        known_incarnations.current_table_name,
        known_incarnations.live_from_ts,
        known_incarnations.live_to_ts,
        known_incarnations.live_to_run_id,
        known_incarnations.ended_by,
        greatest(neighbours.shown_run_id, known_incarnations.live_from_run_id) as shown_run_id,
        greatest(neighbours.commit_ts, known_incarnations.live_from_ts) as valid_from_ts
    from neighbours
    left join known_incarnations
        on
            neighbours.feed = known_incarnations.feed
            and neighbours.table_id = known_incarnations.table_id
            and neighbours.table_incarnation = known_incarnations.table_incarnation
    where neighbours.after is not null

),

-- what is known of a change starts again when its successors or the end of its table become known
tellings as (

    select
        told_changes.*,
        told_run_id
    from told_changes
        lateral view explode(
            array_distinct(
                filter(
                    array(shown_run_id, next_run_id, insert_run_id, live_to_run_id),
                    told -> told >= shown_run_id and coalesce(told < next_edition_run_id, true)
                )
            )
        ) exploded as told_run_id

),

intervals as (

    select
        *,
        least(
            if(next_run_id <= told_run_id, next_commit_ts, null),
            if(live_to_run_id <= told_run_id, live_to_ts, null)
        ) as valid_to_ts
    from tellings

),

closed_intervals as (

    select
        *,
        if(
            op = 'insert' and commit_ts_exact and last_op = 'delete' and last_commit_ts = commit_ts,
            'update',
            op
        ) as told_op,
        case
            when valid_to_ts is null then null
            when live_to_run_id <= told_run_id and live_to_ts = valid_to_ts then ended_by
            when next_cause <> 'message' then next_cause
            when next_op <> 'delete' or insert_run_id <= told_run_id then 'update'
            else 'delete'
        end as closed_by
    from intervals

),

compared_intervals as (

    select
        *,
        struct(valid_to_ts, told_op, closed_by) <=> lag(struct(valid_to_ts, told_op, closed_by)) over (
            partition by {{ change }} order by told_run_id
        ) as is_as_before
    from closed_intervals

),

known_intervals as (

    select
        *,
        lead(told_run_id) over (partition by {{ change }} order by told_run_id) as known_to_run_id
    from compared_intervals
    where not is_as_before

)

select
    feed,
    coalesce(current_schema_name, schema_name) as schema_name,
    coalesce(current_table_name, table_name) as table_name,
    table_id,
    table_incarnation,
    row_key,
    after as row,
    row_commit_ts as commit_ts,
    timestamp_millis(shiftright(row_commit_ts, 18)) as commit_at,
    told_op as op,
    valid_from_ts,
    valid_to_ts,
    timestamp_millis(shiftright(valid_from_ts, 18)) as valid_from_at,
    timestamp_millis(shiftright(valid_to_ts, 18)) as valid_to_at,
    closed_by,
    timestamp_micros(told_run_id) as known_from,
    timestamp_micros(known_to_run_id) as known_to,
    lossy
from known_intervals
-- changes of one commit leave no time between them
where valid_to_ts is null or valid_from_ts < valid_to_ts
