{% macro counted_histories(tables) %}
    {%- set run_ids = [] -%}
    {%- for table in tables %}{% do run_ids.append(table.history.choices.kept.state.settled.run_id) %}{% endfor -%}
    with

    histories as (

        select * from values
        {% for table in tables -%}
        ({{ loop.index0 }}, {{ ticdc.text_literal(table.feed) }}, {{ ticdc.text_literal(table.table_id) }}, {{ run_ids[loop.index0] }})
        {{- "," if not loop.last }}
        {% endfor -%}
        as histories (place, feed, table_id, stored_run_id)

    ),

    arrived as (

        select
            histories.place,
            count(*) as arrived_count
        from ({{ ticdc.changes_to_store() }}) as changes
        inner join histories
            on
                changes.feed = histories.feed
                and changes.table_id = histories.table_id
                and changes.run_id > histories.stored_run_id
        where changes.run_id > {{ run_ids | min }}
        group by histories.place

    ),

    stored as (

        {% for table in tables -%}
        {%- set ids = table.history.choices.kept.state.batches | map(attribute=0) | list -%}
        select
            {{ loop.index0 }} as place,
            count_if(generation = {{ ids[0] }}) as base_count,
            count_if(generation <> {{ ids[0] }}) as later_count
        from {{ table.history.storage }}
        where generation in ({{ ids | join(", ") }})
        {{ "union all" if not loop.last }}
        {% endfor %}
    )

    select
        stored.place,
        case
            when arrived.arrived_count is null then 'kept'
            -- what came since the base is a quarter of it
            when (stored.later_count + arrived.arrived_count) * 4 > stored.base_count then 'whole'
            else 'added'
        end as choice
    from stored
    left join arrived on stored.place = arrived.place
{% endmacro %}
