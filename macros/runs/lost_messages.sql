{% macro lost_messages(staged) %}
select
    'feed ' || staged.feed || ', topic ' || topic || ', partition ' || `partition` || ': ' || count(*) || ' message(s), offsets '
    || min(`offset`) || ' to ' || max(`offset`)
    || if(bool_and(configured.feed is null), ', as the feed is not configured', ', which the source no longer holds')
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
    from ({{ ticdc.source_offsets(ticdc.feeds()) }}) as messages
) as kept
    on staged.feed = of_feed and topic = of_topic and `partition` = of_partition and `offset` = of_offset
where event_index = 0 and not is_redriven and (configured.feed is null or of_topic is null)
group by staged.feed, topic, `partition`
order by staged.feed, topic, `partition`
limit 20
{% endmacro %}
