{{
    config(
        materialized="ticdc_append",
        full_refresh=none if var("ticdc__redecode", false) else false,
        partition_by=["batch_id", "is_redriven", "feed"],
        enabled="debezium" in ticdc.protocols_in_use(),
    )
}}

{{ ticdc.stage_messages("debezium") }}
