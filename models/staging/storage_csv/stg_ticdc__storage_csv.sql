{{
    config(
        materialized="ticdc_append",
        is_kept=not var("ticdc__redecode", false),
        partition_by=["batch_id", "is_redriven", "feed"],
        enabled="storage_csv" in ticdc.protocols_in_use(),
    )
}}
{%- set read = ticdc.messages_in_files("storage_csv") -%}
{{ ticdc.stage_messages("storage_csv", read, ticdc.messages_to_stage("storage_csv", read)) }}
