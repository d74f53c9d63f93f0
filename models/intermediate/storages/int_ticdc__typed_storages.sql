{{ config(materialized="ticdc_typed_storages") }}
-- depends_on: {{ ref("int_ticdc__carried_rows") }}
{%- set plans = ticdc.relation_of("int_ticdc__typed_plans") %}
{%- set request = ticdc.storage_request(plans) if plans else {} %}
{%- set published = ticdc.rows_of_histories(ticdc.typed_context().published) if plans %}
{%- set has_news = plans and request.run.storages and request.run.rows_of != published %}
{{ ticdc.takes(is_idle=not has_news) }}
with

known as (

    {{ ticdc.newest_plans(plans) }}

),

all_plans as (

    select to_json(collect_list(struct(*))) as plans
    from known

),

{{ ticdc.facts_of_tables() }},

all_tables as (

    select
        to_json(
            collect_list(
                struct(
                    feed, table_id, table_incarnation, generations, incarnations, last_generation, is_keyless
                )
            )
        ) as tables
    from found_tables

),

answers as (

    select
        ticdc_typed_storages(
            all_tables.tables,
            all_plans.plans,
            {{ ticdc.text_literal(tojson(request)) }}
        ) as answer
    from all_tables
    cross join all_plans

)

-- the first row is of all tables
select
    place,
    decided
from answers
    lateral view posexplode(answer) exploded as place, decided
