{{
    config(
        materialized="ticdc_append",
        full_refresh=none if var("ticdc__redecode", false) else false,
        partition_by=["is_redriven", "feed"],
        post_hook="{% do ticdc.settle() %}",
        enabled="debezium_avro" in ticdc.protocols_in_use(),
    )
}}

{{ ticdc.stage_messages("debezium_avro") }}
