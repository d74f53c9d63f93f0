{{
    config(
        materialized="incremental",
        incremental_strategy="append",
        partition_by=["is_redriven", "feed"],
        enabled="simple" in ticdc.protocols_in_use(),
    )
}}

{{ ticdc.stage_messages("simple") }}
