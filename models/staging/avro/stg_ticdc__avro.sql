{{
    config(
        materialized="ticdc_append",
        partition_by=["is_redriven", "feed"],
        post_hook="{% do ticdc.settle() %}",
        enabled="avro" in ticdc.protocols_in_use(),
    )
}}

{{ ticdc.stage_messages("avro") }}
