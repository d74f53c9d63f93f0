with

completeness as (

    select * from {{ ref("int_ticdc__completeness") }}

),

watermarks as (

    select
        feed,
        topic,
        `partition`,
        commit_ts as watermark_ts,
        max(commit_ts) over (
            partition by feed, topic, `partition`
            order by `offset`
            rows between unbounded preceding and 1 preceding
        ) as watermark_ts_before
    from {{ ref("int_ticdc__events") }}
    where kind = 'watermark'

),

regressions as (

    select
        feed,
        topic,
        `partition`,
        count(*) as regressions
    from watermarks
    where watermark_ts < watermark_ts_before
    group by feed, topic, `partition`

)

select
    completeness.feed,
    completeness.topic,
    completeness.`partition`,
    completeness.watermark_ts,
    timestamp_millis(shiftright(completeness.watermark_ts, 18)) as watermark_at,
    coalesce(regressions.regressions, 0) as regressions,
    completeness.last_message_at as silent_since,
    completeness.complete_through_ts
from completeness
left join regressions
    on
        completeness.feed = regressions.feed
        and completeness.topic = regressions.topic
        and completeness.`partition` = regressions.`partition`
