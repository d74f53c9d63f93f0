{{
    config(
        materialized="ticdc_append",
        is_kept=not var("ticdc__redecode", false),
        partition_by=["batch_id", "is_redriven", "feed"],
        enabled="debezium_avro" in ticdc.protocols_in_use(),
    )
}}
{%- set read = ticdc.messages_in_topics("debezium_avro", this if ticdc.has_rows() else none) -%}
{{ ticdc.stage_messages("debezium_avro", read, ticdc.messages_with_schemas("debezium_avro")) }}
