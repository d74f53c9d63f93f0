{% macro staged_offset_ranges(protocol, relation, first_run_id) %}
{%- set runs = ticdc.relation_before("int_ticdc__staged_runs") -%}
{%- set noted_run_id = ticdc.settled(runs).run_id if runs else 0 %}
with

offset_ranges as (

    {% if noted_run_id -%}
    select
        feed,
        topic,
        `partition`,
        min(first_offset) as first_offset,
        max(last_offset) as last_offset,
        max(messages) as messages,
        bool_and(is_gapless) as is_gapless
    from {{ ticdc.rows_of(runs) }} as staged_runs
    where
        protocol = {{ ticdc.text_literal(protocol) }}
        and run_id between {{ first_run_id }} and {{ noted_run_id }}
        and messages > 0
    group by feed, topic, `partition`, run_id

    union all

    {% endif -%}
    -- of runs that ended before what they staged was noted
    select distinct
        feed,
        topic,
        `partition`,
        `offset` as first_offset,
        `offset` as last_offset,
        1 as messages,
        true as is_gapless
    from {{ ticdc.rows_of(relation) }} as staged
    where run_id > {{ noted_run_id }} and event_index = 0 and not is_redriven

)

select
    feed,
    topic,
    `partition`,
    min(first_offset) as first_offset,
    max(last_offset) as last_offset,
    max(last_offset) - min(first_offset) = sum(messages) - 1 and bool_and(is_gapless) as is_gapless
from offset_ranges
group by feed, topic, `partition`
{% endmacro %}
