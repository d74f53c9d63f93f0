{%- set feeds = ticdc.feeds() | selectattr("reads", "equalto", "kept") | list -%}
{{
    config(
        materialized="ticdc_append",
        is_kept=true,
        partition_by=["batch_id", "feed"],
        enabled=feeds | length > 0,
        facts="select max(run_id) as newest_run_id from {rows}",
    )
}}
{%- set new_messages = ticdc.kafka_messages(feeds) if feeds else "" -%}
{%- set found = run_query("select 1 from (" ~ new_messages ~ ") limit 1") if execute and ticdc.has_rows() -%}
{%- set plan_run_id = ticdc.facts(ref("int_ticdc__kafka_offsets")).newest_run_id or 0 if feeds else 0 -%}
{{ ticdc.takes(
    {"run_id": ticdc.run_id() | int, "plan_run_id": plan_run_id}, is_idle=found and not found.rows | length
) }}
select
    topic,
    `partition`,
    `offset`,
    message_at as `timestamp`,
    key,
    value,
    {{ ticdc.run_id() }} as run_id,
    feed
from ({{ new_messages }}) as new
