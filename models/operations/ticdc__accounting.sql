{%- set in_kafka = ticdc.feeds() | selectattr("reads", "in", ["kafka", "kept"]) | list -%}
{%- set of_files = ticdc.feeds() | selectattr("reads", "equalto", "files") | map(attribute="name") | list -%}
{#- those of the checkpoints of a storage sink are commits -#}
{%- set has_commits = "feed in (" ~ ticdc.text_literals(of_files) ~ ")" if of_files else "false" -%}
with

source_messages as (

    select
        feed,
        topic,
        `partition`,
        `offset`,
        message_at
    from {{ ref("int_ticdc__messages") }}
    {%- if of_files %}

    union all

    -- the first position of each file
    select
        feed,
        path as topic,
        0 as `partition`,
        `offset`,
        modified_at as message_at
    from {{ ticdc.live_rows(ref("int_ticdc__files")) }} as ledger
    where kind <> 'other' and {{ has_commits }}
    {%- endif %}

),

events as (

    select
        feed,
        topic,
        `partition`,
        `offset`,
        message_at,
        min(kind) as kind
    from {{ ref("int_ticdc__events") }}
    group by feed, topic, `partition`, `offset`, message_at

),

positions as (

    select * from events

    union all

    select
        *,
        null as kind
    from source_messages

),

messages as (

    -- one of another time at an offset is another message: that of a topic which was created again
    select
        feed,
        topic,
        `partition`,
        `offset`,
        max(kind) as kind
    from positions
    group by feed, topic, `partition`, `offset`, message_at

),

neighbours as (

    select
        *,
        if(
            topic = 'metadata' and {{ has_commits }},
            null,
            lead(`offset`) over (partition by feed, topic, `partition` order by `offset`)
        ) as next_offset
    from messages

),

gaps as (

    select
        *,
        next_offset > `offset` + 1 as is_before_gap,
        -- a topic that is compacted, or written in transactions, may lack more offsets than an array can list
        count_if(next_offset > `offset` + 1) over (
            partition by feed, topic, `partition` order by `offset` rows unbounded preceding
        ) <= 1000 as is_listed
    from neighbours

),

counted as (

    select
        feed,
        topic,
        `partition`,
        min(`offset`) as first_offset,
        max(`offset`) as last_offset,
        count(*) as messages,
        count_if(kind = 'row') as rows,
        count_if(kind = 'ddl') as ddl,
        count_if(kind = 'watermark') as watermarks,
        count_if(kind = 'bootstrap') as bootstraps,
        count_if(kind = 'error') as dead_letters,
        sort_array(
            collect_list(
                if(
                    is_before_gap and is_listed,
                    named_struct('first_offset', `offset` + 1, 'last_offset', next_offset - 1),
                    null
                )
            )
        ) as offset_gaps,
        count_if(is_before_gap) as gaps,
        sum(if(is_before_gap, next_offset - `offset` - 1, 0)) as missing_offsets,
        min(if(is_before_gap, `offset` + 1, null)) as first_missing_offset,
        max(if(is_before_gap, next_offset - 1, null)) as last_missing_offset
    from gaps
    group by feed, topic, `partition`

)

select
    counted.*,
    messages = rows + ddl + watermarks + bootstraps + dead_letters
    {{- " and coalesce(plans.status, 'read') in ('read', 'gone')" if in_kafka }} as balanced
from counted
{%- if in_kafka %}
left join ({{ ticdc.newest_offsets(ticdc.published_rows(ref("int_ticdc__kafka_offsets")), "feed") }}) as plans
    on
        counted.feed = plans.feed
        and counted.topic = plans.topic
        and counted.`partition` = plans.`partition`
{%- endif %}
