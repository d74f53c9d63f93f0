{% macro staged_stretches(protocol, relation, runs, noted_run_id) %}
with

stretches as (

    {% if noted_run_id -%}
    select
        feed,
        topic,
        `partition`,
        first_offset,
        last_offset,
        messages
    from {{ runs }}
    where
        protocol = {{ ticdc.text_literal(protocol) }}
        and run_id between {{ ticdc.first_run_id(relation) }} and {{ noted_run_id }}
        and messages > 0

    union all

    {% endif -%}
    -- of runs that ended before what they staged was noted
    select
        feed,
        topic,
        `partition`,
        `offset` as first_offset,
        `offset` as last_offset,
        1 as messages
    from {{ relation }}
    where run_id > {{ noted_run_id }} and event_index = 0 and not is_redriven

)

-- a run that was noted twice counts more messages than there are offsets, which is looked into as gaps are
select
    feed,
    topic,
    `partition`,
    min(first_offset) as first_offset,
    max(last_offset) as last_offset,
    sum(messages) as messages
from stretches
group by feed, topic, `partition`
{% endmacro %}
