{% macro offsets_again(known, plans) %}
select
    known.topic,
    known.`partition`,
    min(known.`offset`) as start_offset,
    max(known.`offset`) + 1 as end_offset
from ({{ known }}) as known
inner join (
    {{ ticdc.newest_offsets(ticdc.rows_of(plans)) }}
) as plans
    on
        known.feed = plans.feed
        and known.topic = plans.topic
        and known.`partition` = plans.`partition`
where
    plans.status = 'read'
    and known.run_id >= plans.log_run_id
    and known.`offset` between plans.low_offset and plans.high_offset - 1
group by known.topic, known.`partition`
{% endmacro %}
