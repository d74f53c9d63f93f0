{% macro kafka_positions(reader, relation, feeds) -%}
select
        feed,
        topic,
        `partition`,
        log_run_id as run_id,
        if(status = 'read', end_offset, start_offset) as next_offset
    from plans
    where run_id = {{ (ticdc.settled(relation).get("plan_run_id") or 0) if relation else 0 }}
    {%- if relation %}

    union all

    {{ ticdc.read_offsets(reader, relation, feeds) }}
    {%- endif %}
    {%- for protocol in (feeds | map(attribute="protocol") | unique if feeds[0].keep_messages else []) %}
    {%- set staged = ticdc.relation_before("stg_ticdc__" ~ protocol) %}
    {%- if staged and ticdc.batches(staged) %}

    union all

    -- before messages were kept
    {{ ticdc.read_offsets("stg_ticdc__" ~ protocol, staged, feeds | selectattr("protocol", "equalto", protocol) | list) }}
    {%- endif %}
    {%- endfor %}
{%- endmacro %}
