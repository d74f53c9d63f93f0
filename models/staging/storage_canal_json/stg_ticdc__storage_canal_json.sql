{{
    config(
        materialized="ticdc_append",
        is_kept=not var("ticdc__redecode", false),
        partition_by=["batch_id", "is_redriven", "feed"],
        enabled="storage_canal_json" in ticdc.protocols_in_use(),
    )
}}

{{ ticdc.stage_messages("storage_canal_json") }}
