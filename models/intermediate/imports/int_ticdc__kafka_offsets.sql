{%- set feeds = ticdc.feeds() | selectattr("reads", "in", ["kafka", "kept"]) | list -%}
{{
    config(
        materialized="ticdc_append",
        is_kept=true,
        partition_by=["batch_id", "feed"],
        enabled=feeds | length > 0,
        facts="select max(run_id) as newest_run_id from {rows}",
    )
}}
{%- set answer, accepted = {"planned": []}, var("ticdc__accept_lost_messages", false) -%}
{%- set known, asked = [], [] -%}
{%- for feed in feeds -%}
    {%- do asked.append({
        "name": feed.name, "kafka": feed.source, "topics": feed.topics, "finished_topics": feed.finished_topics,
        "is_accepted": accepted is true or (accepted and feed.name in accepted),
    }) -%}
{%- endfor -%}
{%- if execute and ticdc.memory().is_begun and not flags.EMPTY -%}
    {%- for _, of_reader in feeds | groupby("reader") -%}
        {%- set partitions = ticdc.kafka_partitions(of_reader, this if ticdc.has_rows() else none) -%}
        {%- do known.append("select * from (" ~ partitions ~ ") as partitions") -%}
    {%- endfor -%}
    {%- set request = {
        "run_id": ticdc.run_id() | int, "cap": var("ticdc__messages_per_run", none), "feeds": asked,
    } -%}
    {%- set query %}
select
    ticdc_kafka_offsets(
        cast(unhex('{{ tojson(request).encode().hex() }}') as string), to_json(collect_list(struct(*)))
    )
from ({{ known | join("\nunion all\n") }}) as known
    {%- endset -%}
    {%- do answer.update(fromjson(run_query(query).rows[0][0])) -%}
{%- endif -%}
{#- a broker that does not answer -#}
{%- if answer.problem -%}{%- do exceptions.raise_compiler_error("ticdc: " ~ answer.problem) -%}{%- endif -%}
{{ ticdc.takes(is_idle=not answer.is_new) }}
select
    planned.*,
    {{ ticdc.run_id() }} as run_id
from (
    select
        explode(
            from_json(
                -- in hex, which all settings of a session leave as it is
                cast(unhex('{{ tojson(answer.planned).encode().hex() }}') as string),
                'array<struct<
                    topic: string, `partition`: int, topic_id: string, log_run_id: bigint,
                    first_offset: bigint, low_offset: bigint, high_offset: bigint, start_offset: bigint,
                    end_offset: bigint, status: string, accepted: string, detail: string, feed: string
                >>'
            )
        ) as planned
)
