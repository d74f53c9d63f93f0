{{ config(materialized="ticdc_typed_tables") }}
-- depends_on: {{ ref("ticdc__current_rows") }}
{%- set latest = ref("int_ticdc__latest") -%}
{%- set state = ticdc.settled(latest) %}

with

current_schemas as (

    select
        feed,
        schema_name,
        table_name,
        max_by(table_schema, struct(is_complete, last_commit_ts, table_schema_id)) as table_schema
    from {{ ref("int_ticdc__table_schemas") }}
    group by feed, schema_name, table_name

),

generations as (

    select
        feed,
        schema_name,
        table_name,
        to_json(sort_array(collect_set(generation))) as generations,
        count(*) as row_count
    from {{ latest }}
    where generation between {{ state.get("base") or 0 }} and {{ state.get("last") or 0 }}
    group by feed, schema_name, table_name

)

select
    current_schemas.feed,
    current_schemas.schema_name,
    current_schemas.table_name,
    current_schemas.table_schema,
    generations.generations,
    generations.row_count
from current_schemas
inner join generations
    on
        current_schemas.feed = generations.feed
        and current_schemas.schema_name = generations.schema_name
        and current_schemas.table_name = generations.table_name
where
    current_schemas.feed in (
        {%- for feed in ticdc.feeds() %}
        {{ ticdc.text_literal(feed.name) }}{{ "," if not loop.last }}
        {%- endfor %}
    )
order by current_schemas.feed, current_schemas.schema_name, current_schemas.table_name
