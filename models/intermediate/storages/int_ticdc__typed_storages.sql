{{ config(materialized="ticdc_typed_storages") }}
-- depends_on: {{ ref("int_ticdc__carried_rows") }}
{%- set has_bags = ticdc.settled(ref("int_ticdc__changes")).get("has_bags") %}

with

{{ ticdc.facts_of_tables(has_bags) }}

select
    tables.feed,
    tables.table_id,
    tables.table_incarnation,
    coalesce(generations.generations, '[]') as generations,
    lives.lives,
    generations.last_generation,
    {{ "keyless_tables.feed is not null" if has_bags else "false" }} as is_keyless
from {{ ticdc.rows_of(ref("int_ticdc__table_states")) }} as tables
inner join lives
    on
        tables.feed = lives.feed
        and tables.table_id = lives.table_id
left join generations
    on
        tables.feed = generations.feed
        and tables.table_id = generations.table_id
        and tables.table_incarnation = generations.table_incarnation
{%- if has_bags %}
left join keyless_tables
    on
        tables.feed = keyless_tables.feed
        and tables.table_id = keyless_tables.table_id
{%- endif %}
