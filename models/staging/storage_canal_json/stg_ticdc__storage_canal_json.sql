{{
    config(
        materialized="ticdc_append",
        is_kept=not var("ticdc__redecode", false),
        partition_by=["batch_id", "is_redriven", "feed"],
        enabled="storage_canal_json" in ticdc.protocols_in_use(),
    )
}}
{%- set read = ticdc.messages_in_files("storage_canal_json", this if ticdc.has_rows() else none) -%}
{{ ticdc.stage_messages("storage_canal_json", read) }}
