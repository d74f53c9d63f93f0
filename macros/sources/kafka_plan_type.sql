{% macro kafka_plan_type() -%}
struct<topic: string, `partition`: int, topic_id: string, log_run_id: bigint, first_offset: bigint, low_offset: bigint, high_offset: bigint, start_offset: bigint, end_offset: bigint, status: string, accepted: string, detail: string, feed: string>
{%- endmacro %}
