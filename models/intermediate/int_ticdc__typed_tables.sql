{{ config(materialized="ticdc_typed_tables") }}
-- depends_on: {{ ref("ticdc__current_rows") }}
-- depends_on: {{ ref("ticdc__row_history") }}
{%- set latest = ref("int_ticdc__latest") -%}
{%- set state = ticdc.settled(latest) %}

with

generations as (

    select
        feed,
        table_id,
        table_incarnation,
        to_json(sort_array(collect_set(generation))) as generations,
        count(*) as row_count
    from {{ latest }}
    where generation between {{ state.get("base") or 0 }} and {{ state.get("last") or 0 }}
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
    coalesce(generations.row_count, 0) as row_count
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
order by tables.feed, tables.schema_name, tables.table_name
