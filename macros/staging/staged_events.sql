{% macro staged_events(relation) %}
select staged.*
from {{ relation }} as staged
{%- if ticdc.rows_if_built(relation, "select 1 from " ~ relation ~ " where is_redriven limit 1") %}
left anti join (
    select
        feed,
        topic,
        `partition`,
        `offset`,
        event_index,
        max(run_id) as run_id
    from {{ relation }}
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
