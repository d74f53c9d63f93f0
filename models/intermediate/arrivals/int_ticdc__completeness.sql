{%- set of_files = ticdc.feeds() | selectattr("reads", "equalto", "files") | map(attribute="name") | list -%}
{%- set expecting = ticdc.feeds() | selectattr("partitions") | list -%}
with

staged_runs as (

    -- brought together by feed once, for all that follows
    select /*+ repartition(feed) */ *
    from {{ ticdc.live_rows(ref("int_ticdc__staged_runs")) }} as staged_runs

),

seen_partitions as (

    select
        feed,
        {% if of_files -%}
        -- of all files of a storage sink this one tells
        if(feed in ({{ ticdc.text_literals(of_files) }}), 'metadata', topic) as topic,
        {%- else -%}
        topic,
        {%- endif %}
        `partition`,
        max(watermark_ts) as watermark_ts,
        max(last_message_at) as last_message_at,
        max(run_id) as last_run_id,
        max(if(is_redriven, run_id, null)) as redriven_run_id
    from staged_runs
    group by feed, {{ 2 if of_files else "topic" }}, `partition`

),

partitions as (

    {% if expecting -%}
    select
        feed,
        topic,
        known_partition as `partition`,
        max(watermark_ts) filter (where `partition` = known_partition) as watermark_ts,
        max(last_message_at) filter (where `partition` = known_partition) as last_message_at,
        max(last_run_id) filter (where `partition` = known_partition) as last_run_id,
        max(redriven_run_id) filter (where `partition` = known_partition) as redriven_run_id
    from seen_partitions
        lateral view explode(
            case feed
                {%- for feed in expecting %}
                when {{ ticdc.text_literal(feed.name) }}
                    then array_union(array(`partition`), sequence(0, {{ feed.partitions - 1 }}))
                {%- endfor %}
                else array(`partition`)
            end
        ) known as known_partition
    group by feed, topic, known_partition
    {%- else -%}
    select * from seen_partitions
    {%- endif %}

)

select
    feed,
    topic,
    `partition`,
    watermark_ts,
    last_message_at,
    last_run_id,
    redriven_run_id,
    {{ ticdc.complete_through_ts(" over (partition by feed)") }} as complete_through_ts
from partitions
