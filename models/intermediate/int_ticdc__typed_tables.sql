{{ config(materialized="ticdc_typed_tables") }}
-- depends_on: {{ ref("ticdc__current_rows") }}
-- depends_on: {{ ref("ticdc__row_history") }}
-- depends_on: {{ ref("int_ticdc__row_changes") }}
-- depends_on: {{ ref("int_ticdc__feed_bounds") }}
{%- set latest = ref("int_ticdc__latest") -%}
{%- set state = ticdc.settled(latest) %}

with

counted_rows as (

    select
        feed,
        table_id,
        table_incarnation,
        generation,
        count(*) as row_count
    from {{ latest }}
    where generation between {{ state.get("base") or 0 }} and {{ state.get("last") or 0 }}
    group by feed, table_id, table_incarnation, generation

),

generations as (

    select
        feed,
        table_id,
        table_incarnation,
        to_json(sort_array(collect_list(generation))) as generations,
        sum(row_count) as row_count
    from counted_rows
    group by feed, table_id, table_incarnation

),

-- of tables whose columns changed
pasts as (

    select
        feed,
        table_id,
        to_json(array_sort(collect_list(struct(valid_from_ts as from_ts, table_schema)))) as versions
    from {{ ref("int_ticdc__table_versions") }}
    where valid_from_ts <= {{ ticdc.shown_through("feed") }}
    group by feed, table_id
    having size(collect_set(table_schema)) > 1

)

select
    tables.feed,
    tables.schema_name,
    tables.table_name,
    tables.table_id,
    tables.table_incarnation,
    tables.table_schema,
    coalesce(generations.generations, '[]') as generations,
    coalesce(generations.row_count, 0) as row_count,
    pasts.versions
from {{ ref("int_ticdc__table_states") }} as tables
left join generations
    on
        tables.feed = generations.feed
        and tables.table_id = generations.table_id
        and tables.table_incarnation = generations.table_incarnation
left join pasts on tables.feed = pasts.feed and tables.table_id = pasts.table_id
where
    tables.is_live
    and tables.table_schema <> '[]'
    -- an export also tells of tables that the feed does not carry
    and (generations.row_count is not null or tables.origin <> 'export')
    and tables.feed in (
        ''
        {%- for feed in ticdc.feeds() if feed.target_schema %},
        {{ ticdc.text_literal(feed.name) }}
        {%- endfor %}
    )
