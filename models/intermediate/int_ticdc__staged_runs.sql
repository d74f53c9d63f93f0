{{
    config(
        materialized="incremental",
        incremental_strategy="append",
        partition_by=["feed"],
        post_hook="{% do ticdc.settle() %}",
    )
}}
{{ ticdc.to_settle({"run_id": ticdc.run_id() | int}) }}

with

events as (

    select
        feed,
        topic,
        `partition`,
        message_at,
        run_id,
        if(kind = 'watermark', commit_ts, null) as watermark_ts,
        is_redriven and kind <> 'error' as is_redriven,
        kind = 'row' and not is_resolved and claim_check is null as is_waiting
    from {{ ref("int_ticdc__events") }}

    union all

    select
        feed,
        topic,
        `partition`,
        message_at,
        run_id,
        null as watermark_ts,
        false as is_redriven,
        kind = 'row' and not is_resolved as is_waiting
    from {{ ref("int_ticdc__claim_checks") }}

)

select
    topic,
    `partition`,
    run_id,
    max(watermark_ts) as watermark_ts,
    max(message_at) as last_message_at,
    bool_or(is_redriven) as is_redriven,
    bool_or(is_waiting) as is_waiting,
    feed
from events
where run_id > {{ ticdc.settled().run_id }}
group by feed, topic, `partition`, run_id
