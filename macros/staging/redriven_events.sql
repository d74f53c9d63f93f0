{% macro redriven_events(relation) %}
{%- set gone = "the source no longer has the message; it was: " %}
select staged_events.*
from staged_events
-- what came out as it was before, or worse, is not written again
left anti join known_events
    on
        staged_events.is_redriven
        and staged_events.feed = known_events.feed
        and staged_events.topic = known_events.topic
        and staged_events.`partition` = known_events.`partition`
        and staged_events.`offset` = known_events.`offset`
        and staged_events.event_index = known_events.event_index
        and (
            (known_events.kind <> 'error' and staged_events.kind = 'error')
            or (
                staged_events.kind = known_events.kind
                and staged_events.commit_ts <=> known_events.commit_ts
                and staged_events.error_code <=> known_events.error_code
                and staged_events.error_message <=> known_events.error_message
            )
        )

union all

select
    {% for column in adapter.get_columns_in_relation(relation) if column.name != "batch_id" -%}
    {% if column.name == "error_message" -%}
    {{ ticdc.text_literal(gone) }} || error_message as error_message
    {%- elif column.name == "run_id" -%}
    {{ ticdc.run_id() }} as run_id
    {%- elif column.name == "is_redriven" -%}
    true as is_redriven
    {%- else -%}
    {{ column.quoted }}
    {%- endif -%}
    {{ "," if not loop.last }}
    {% endfor %}
from known_events
left anti join (select * from messages where is_redriven) as messages using (feed, topic, `partition`, `offset`)
where kind = 'error' and not startswith(error_message, {{ ticdc.text_literal(gone) }})
{% endmacro %}
