{{ config(materialized="ticdc_typed_storages") }}
-- depends_on: {{ ref("int_ticdc__changes") }}
-- depends_on: {{ ref("int_ticdc__carried_rows") }}

with

{{ ticdc.generations_and_lives() }}

select
    tables.feed,
    tables.table_id,
    tables.table_incarnation,
    coalesce(generations.generations, '[]') as generations,
    lives.lives,
    generations.last_generation
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
