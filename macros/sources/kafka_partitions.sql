{% macro kafka_partitions(reader, feeds, plans) %}
{#- a redecode makes staging anew, and of the raw copy -#}
{%- set relation = ticdc.relation_of(reader) if feeds[0].keep_messages else ticdc.relation_before(reader) -%}
with

plans as (

    select *
    from {{ ticdc.rows_of(plans) if plans else ticdc.planned_offsets([]) }} as plans
    where feed in ({{ ticdc.text_literals(feeds | map(attribute="name")) }})

),

newest as (

    {{ ticdc.newest_offsets("plans") }}

),

-- what follows the offsets that runs brought, and those of the last plan that was read to its end
positions as (

    {{ ticdc.kafka_positions(reader, relation if relation and ticdc.batches(relation) else none, feeds) }}

),

places as (

    select feed, topic, `partition` from newest
    union
    select feed, topic, `partition` from positions

)

select
    feed,
    topic,
    `partition`,
    max(newest.topic_id) as topic_id,
    coalesce(max(newest.log_run_id), 0) as log_run_id,
    coalesce(max(newest.first_offset), 0) as first_offset,
    -- what was read of a topic before it was made again says nothing
    max(if(positions.run_id >= coalesce(newest.log_run_id, 0), positions.next_offset, null)) as next_offset,
    max(newest.end_offset) as end_offset,
    max(newest.status) as status
from places
left join newest using (feed, topic, `partition`)
left join positions using (feed, topic, `partition`)
group by feed, topic, `partition`
{% endmacro %}
