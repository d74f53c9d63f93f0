{{
    config(
        materialized="ticdc_append",
        is_kept=true,
        partition_by=["batch_id", "feed"],
        enabled=ticdc.feeds() | selectattr("reads", "in", ["kafka", "kept"]) | list | length > 0,
    )
}}
{%- set plan = ticdc.kafka_plan() if execute and ticdc.memory().is_begun and not flags.EMPTY else {"planned": []} -%}
{{ ticdc.takes(is_idle=not plan.is_new) }}
select * from {{ ticdc.planned_offsets(plan.planned) }} as planned
