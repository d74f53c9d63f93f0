{% macro staged_events(relation, rows) %}
select staged.*
from {{ rows }} as staged
{%- if ticdc.asked("select 1 from " ~ ticdc.rows_of(relation) ~ " where is_redriven limit 1", [relation]) %}
left anti join (
    select
        feed,
        topic,
        `partition`,
        `offset`,
        event_index,
        max(run_id) as run_id
    from {{ rows }} as staged_again
    where is_redriven
    group by feed, topic, `partition`, `offset`, event_index
) as redriven
    on
        staged.feed = redriven.feed
        and staged.topic = redriven.topic
        and staged.`partition` = redriven.`partition`
        and staged.`offset` = redriven.`offset`
        and staged.event_index = redriven.event_index
        and staged.run_id < redriven.run_id
{%- endif %}
{% endmacro %}
