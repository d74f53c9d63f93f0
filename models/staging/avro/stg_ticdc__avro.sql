{{
    config(
        materialized="ticdc_append",
        is_kept=not var("ticdc__redecode", false),
        partition_by=["batch_id", "is_redriven", "feed"],
        enabled="avro" in ticdc.protocols_in_use(),
    )
}}
{%- set read = ticdc.messages_in_topics("avro") -%}
{%- set messages = ticdc.messages_to_stage("avro", read, ticdc.writer_schemas("avro")) -%}
{%- set lack_commits = read.redriven or ticdc.some_lack_commits(messages) -%}
{%- set commits = ticdc.avro__commits("events", read.redriven) if lack_commits else "" -%}
{{ ticdc.stage_messages("avro", read, messages, commits) }}
