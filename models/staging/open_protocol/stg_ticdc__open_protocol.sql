{{
    config(
        materialized="ticdc_append",
        is_kept=not var("ticdc__redecode", false),
        partition_by=["batch_id", "is_redriven", "feed"],
        enabled="open_protocol" in ticdc.protocols_in_use(),
    )
}}
{%- set read = ticdc.messages_in_topics("open_protocol", this if ticdc.has_rows() else none) -%}
{{ ticdc.stage_messages("open_protocol", read) }}
