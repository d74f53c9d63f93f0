{{ config(materialized="ticdc_typed_storages") }}
-- depends_on: {{ ref("int_ticdc__carried_rows") }}
{%- set plans = ticdc.relation_of("int_ticdc__typed_plans") %}

with

{{ ticdc.known_plans(plans) }},

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
            {{ ticdc.text_literal(ticdc.storage_request(plans)) }}
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
