{{ config(materialized="ticdc_typed_storages") }}
-- depends_on: {{ ref("int_ticdc__carried_rows") }}
{%- set plans, request = ticdc.relation_of("int_ticdc__typed_plans"), {} -%}
{#- `StorageRequest` in `typed/storages.py` -#}
{%- if ticdc.storages_lack_rows() -%}
    {%- do request.update({"run": ticdc.typed_run(plans), "written": ticdc.written_rows()}) -%}
{%- endif %}

with

all_plans as (

    select to_json(collect_list(struct(*))) as plans
    from ({{ ticdc.newest_plans(plans) }}) as known

),

found_tables as (

    {{ ticdc.found_tables() }}

),

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
