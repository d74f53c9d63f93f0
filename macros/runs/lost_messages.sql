{% macro lost_messages(staged) %}
{%- set feeds = ticdc.feeds() | rejectattr("source.kind", "equalto", "files") | list -%}
select
    'feed ' || staged.feed || ', topic ' || topic || ', partition ' || `partition` || ': ' || count(*) || ' message(s), offsets '
    || min(`offset`) || ' to ' || max(`offset`)
    || case
        when bool_and(configured.feed is null) then ', as the feed is not configured'
        {%- for feed in ticdc.kafka_feeds(ticdc.feeds()) %}
        when staged.feed = {{ ticdc.text_literal(feed.name) }} then ', as the feed keeps no messages of Kafka (keep_messages)'
        {%- endfor %}
        else ', which the source no longer holds'
    end
from {{ ticdc.rows_of(staged) }} as staged
left join (
    select explode(array({{ ticdc.text_literals(ticdc.feeds() | map(attribute="name")) }})) as feed
) as configured
    on staged.feed = configured.feed
left join (
    select distinct
        feed as of_feed,
        topic as of_topic,
        `partition` as of_partition,
        `offset` as of_offset
    from (
        {%- if feeds %}{{ ticdc.source_offsets(feeds) }}{% else %}select '' as feed, '' as topic, 0 as `partition`, 0 as `offset` where false{% endif -%}
    ) as messages
) as kept
    on staged.feed = of_feed and topic = of_topic and `partition` = of_partition and `offset` = of_offset
where event_index = 0 and not is_redriven and (configured.feed is null or of_topic is null)
group by staged.feed, topic, `partition`
order by staged.feed, topic, `partition`
limit 20
{% endmacro %}
