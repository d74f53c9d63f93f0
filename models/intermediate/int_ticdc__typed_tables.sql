{{ config(materialized="ticdc_typed_tables") }}
-- depends_on: {{ ref("ticdc__current_rows") }}
-- depends_on: {{ ref("ticdc__row_history") }}
-- depends_on: {{ ref("int_ticdc__row_changes") }}
-- depends_on: {{ ref("int_ticdc__feed_bounds") }}
-- depends_on: {{ ref("int_ticdc__table_versions") }}
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
    -- of tables whose columns changed
    if(size(array_distinct(tables.versions.table_schema)) > 1, to_json(tables.versions), null) as versions,
    to_json(tables.left_behind) as left_behind
from {{ ref("int_ticdc__table_states") }} as tables
left join generations
    on
        tables.feed = generations.feed
        and tables.table_id = generations.table_id
        and tables.table_incarnation = generations.table_incarnation
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
