{# Gives the SQL of the row events that a run takes, those that wait for cells with these. `copy` numbers equal events
   of a table without key; `image_hash` tells such events apart, and those whose commit is a millisecond. #}
{% macro row_events(all_rows, plan, is_unsettled) %}
    {%- set rows = "rows_once" if plan.may_be_doubled else all_rows -%}
    {%- set columns -%}
    feed,
        topic,
        `partition`,
        `offset`,
        event_index,
        schema_name,
        table_name,
        physical_table_id,
        commit_ts,
        commit_ts_exact,
        start_ts,
        op,
        row_key,
        before_key
    {%- endset -%}
    {%- if plan.may_be_doubled %}
    with

    rows_once as (

        {{ ticdc.rows_once(all_rows, is_unsettled) }}

    )
    {% endif %}
    {%- if false in plan.waits_for_cells %}
    select
        {{ columns }},
        before,
        after,
        lossy,
        if(commit_ts_exact, null, xxhash64(before, after)) as image_hash,
        1 as copy
    from {{ rows }} as whole_rows
    where
        not waits_for_cells
        and {{ is_unsettled }}
        {%- if plan.has_keyless_rows %}
        and not is_keyless

    union all

    {{ ticdc.numbered_copies(all_rows, columns, is_unsettled, plan.first_keyless_commit_ts) }}
        {%- endif %}
    {%- endif %}
    {{ "union all" if plan.waits_for_cells | length > 1 }}
    {%- if true in plan.waits_for_cells %}
    select
        {{ columns }},
        resolved.before,
        resolved.after,
        {{ ticdc.lossy_of_resolved() }} as lossy,
        cast(null as bigint) as image_hash,
        1 as copy
    from (
        select
            *,
            ticdc_complete_row(
                protocol,
                known_schema,
                {{ ticdc.by_feed(ticdc.feeds(), "options") }},
                before,
                after,
                lossy
            ) as resolved
        from {{ rows }} as waiting_rows
        where waits_for_cells and {{ is_unsettled }}
    ) as completed_rows
    {%- endif %}
{% endmacro %}

{# Gives the SQL of the row events that a run takes, each once where the source holds its message twice at one
   offset. #}
{% macro rows_once(rows, is_unsettled) %}
{%- set place = "feed, topic, `partition`, `offset`, event_index" -%}
with

doubled_places as (

    select {{ place }}
    from {{ rows }} as events
    where {{ is_unsettled }}
    group by {{ place }}
    having count(*) > 1

),

rows_and_places as (

    select /*+ broadcast(doubled_places) */
        events.*,
        doubled_places.feed is not null as is_doubled
    from (select * from {{ rows }} as all_rows where {{ is_unsettled }}) as events
    left join doubled_places
        on
            events.feed = doubled_places.feed
            and events.topic = doubled_places.topic
            and events.`partition` = doubled_places.`partition`
            and events.`offset` = doubled_places.`offset`
            and events.event_index = doubled_places.event_index

)

select * except (is_doubled)
from rows_and_places
where not is_doubled

union all

select * except (is_doubled, number)
from (
    select
        *,
        row_number() over (
            -- a topic that was created again has other messages at the same offsets
            partition by {{ place }}, commit_ts, op, row_key, xxhash64(before, after)
            order by run_id
        ) as number
    from rows_and_places
    where is_doubled
) as doubled_rows
where number = 1
{% endmacro %}

{# Gives the SQL of row events of tables without key: all of each commit of which a run takes any, as they are numbered
   together. `copy` is the number of each among equal ones that stand side by side in its partition: each of these is a
   row of its own. What comes again elsewhere has the numbers of the first, as a replay has. Equal events of different
   `row_id` differ in `image_hash`. #}
{% macro numbered_copies(rows, columns, is_unsettled, first_commit_ts) %}
    {%- set commit = "feed, schema_name, table_name, commit_ts" -%}
    select
        {{ columns }},
        before,
        after,
        lossy,
        image_hash,
        if(
            row_id is null,
            row_number() over (
                partition by {{ commit }}, topic, `partition`, offset_range, op, image_hash
                order by `offset`, event_index
            ),
            1
        ) as copy
    from (
        select
            *,
            -- of a message that the source holds twice
            coalesce(`offset` = last_offset and event_index = last_index, false) as is_doubled,
            count_if(
                not coalesce(
                    (`offset` = last_offset and event_index in (last_index, last_index + 1))
                    or (`offset` = last_offset + 1 and event_index = 0),
                    false
                )
            ) over (
                partition by {{ commit }}, topic, `partition` order by `offset`, event_index
            ) as offset_range
        from (
            select
                *,
                xxhash64(before, after, row_id) as image_hash,
                lag(`offset`) over in_partition as last_offset,
                lag(event_index) over in_partition as last_index
            from (
                select
                    *,
                    -- what arrives may go on where an offset range of an earlier run ended
                    bool_or({{ is_unsettled }}) over (partition by {{ commit }}) as is_taken
                from {{ rows }} as all_rows
                where is_keyless and commit_ts >= {{ first_commit_ts }}
            ) as keyless_rows
            where is_taken
            window in_partition as (
                partition by {{ commit }}, topic, `partition` order by `offset`, event_index
            )
        ) as followed_events
    ) as offset_ranges
    where not is_doubled
{% endmacro %}
