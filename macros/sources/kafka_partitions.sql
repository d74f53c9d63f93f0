{% macro kafka_partitions(reader, feeds, plans) %}
{#- a redecode makes staging anew, and of the raw copy -#}
{%- set relation = ticdc.relation_of(reader) if feeds[0].keep_messages else ticdc.relation_before(reader) -%}
{%- set relation = relation if relation and ticdc.batches(relation) else none -%}
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

    select
        feed,
        topic,
        `partition`,
        log_run_id as run_id,
        if(status = 'read', end_offset, start_offset) as next_offset
    from plans
    where run_id = {{ (ticdc.settled(relation).get("plan_run_id") or 0) if relation else 0 }}
    {%- if relation %}

    union all

    {{ ticdc.read_offsets(reader, relation, feeds) }}
    {%- endif %}
    {%- for protocol in (feeds | map(attribute="protocol") | unique if feeds[0].keep_messages else []) %}
    {%- set staged = ticdc.relation_before("stg_ticdc__" ~ protocol) %}
    {%- if staged and ticdc.batches(staged) %}

    union all

    -- before messages were kept
    {{ ticdc.read_offsets("stg_ticdc__" ~ protocol, staged, feeds | selectattr("protocol", "equalto", protocol) | list) }}
    {%- endif %}
    {%- endfor %}

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
    max(positions.next_offset) as next_offset,
    max(newest.end_offset) as end_offset,
    max(newest.status) as status
from places
left join newest using (feed, topic, `partition`)
left join positions using (feed, topic, `partition`)
where positions.run_id is null or positions.run_id >= coalesce(newest.log_run_id, 0)
group by feed, topic, `partition`
{% endmacro %}
