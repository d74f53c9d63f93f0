with

feeds as (

    select
        feed,
        case feed
            {%- for feed in ticdc.feeds() if feed.partitions %}
            when {{ ticdc.text_literal(feed.name) }} then {{ feed.partitions }}
            {%- endfor %}
            {%- if not ticdc.feeds() | selectattr("partitions") | list %}
            when '' then 0
            {%- endif %}
        end as expected_partitions
    from ({{ ticdc.feed_names() }}) as names

),

seen_partitions as (

    select
        feed,
        topic,
        `partition`,
        max(watermark_ts) as watermark_ts,
        max(last_message_at) as last_message_at,
        max(run_id) as last_run_id,
        max(if(is_redriven, run_id, null)) as redriven_run_id
    from {{ ref("int_ticdc__staged_runs") }}
    group by feed, topic, `partition`

),

expected_partitions as (

    select distinct
        seen_partitions.feed,
        seen_partitions.topic,
        explode(sequence(0, feeds.expected_partitions - 1)) as `partition`
    from seen_partitions
    inner join feeds on seen_partitions.feed = feeds.feed
    where feeds.expected_partitions is not null

),

all_partitions as (

    select * from seen_partitions

    union all

    select
        feed,
        topic,
        `partition`,
        null as watermark_ts,
        null as last_message_at,
        null as last_run_id,
        null as redriven_run_id
    from expected_partitions

),

partitions as (

    select
        feed,
        topic,
        `partition`,
        max(watermark_ts) as watermark_ts,
        max(last_message_at) as last_message_at,
        max(last_run_id) as last_run_id,
        max(redriven_run_id) as redriven_run_id
    from all_partitions
    group by feed, topic, `partition`

)

select
    feed,
    topic,
    `partition`,
    watermark_ts,
    last_message_at,
    last_run_id,
    redriven_run_id,
    if(
        max(watermark_ts) over (partition by feed) is null,
        null,
        min(coalesce(watermark_ts, 0)) over (partition by feed)
    ) as complete_through_ts
from partitions
