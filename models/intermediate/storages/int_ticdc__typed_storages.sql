{{ config(materialized="ticdc_typed_storages") }}
-- depends_on: {{ ref("int_ticdc__carried_rows") }}
{%- set has_keyless_rows = ticdc.settled(ref("int_ticdc__changes")).get("has_bags") %}
{%- set plans = ticdc.relation_of("int_ticdc__typed_plans") %}

with

{% if plans -%}
known as (

    {{ ticdc.newest_plans(plans) | indent(4) }}

),

{% endif -%}
{{ ticdc.facts_of_tables(has_keyless_rows) }},

found_tables as (

    select
        tables.feed,
        tables.table_id,
        tables.table_incarnation,
        generations.generations,
        incarnations.incarnations,
        generations.last_generation,
        {{ "keyless_tables.feed is not null" if has_keyless_rows else "false" }} as is_keyless
    from {{ ticdc.rows_of(ref("int_ticdc__table_states")) }} as tables
    inner join incarnations
        on
            tables.feed = incarnations.feed
            and tables.table_id = incarnations.table_id
    left join generations
        on
            tables.feed = generations.feed
            and tables.table_id = generations.table_id
            and tables.table_incarnation = generations.table_incarnation
    {%- if has_keyless_rows %}
    left join keyless_tables
        on
            tables.feed = keyless_tables.feed
            and tables.table_id = keyless_tables.table_id
    {%- endif %}

),

all_tables as (

    select to_json(collect_list(struct(*))) as tables
    from found_tables

),

all_plans as (

    {% if plans -%}
    select to_json(collect_list(struct(*))) as plans
    from known
    {%- else -%}
    select '[]' as plans
    {%- endif %}

)

select
    ticdc_typed_storages(
        all_tables.tables,
        all_plans.plans,
        {{ ticdc.text_literal(tojson(ticdc.typed_run(plans) if ticdc.storages_lack_rows() else {})) }}
    ) as answer
from all_tables
cross join all_plans
