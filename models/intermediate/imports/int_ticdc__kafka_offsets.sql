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
{%- set answer, known, accepted = {"planned": []}, {}, var("ticdc__accept_lost_messages", false) -%}
{%- set asks_brokers = execute and ticdc.memory().is_begun and not flags.EMPTY -%}
{%- for _, of_reader in (feeds if asks_brokers else []) | groupby("reader") -%}
    {%- for partition in ticdc.partitions_of_reader(of_reader, this if ticdc.has_rows() else none) -%}
        {%- do known.setdefault(partition.feed, []).append(partition) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set asked = [] -%}
{%- for feed in feeds -%}
    {%- do asked.append({
        "name": feed.name, "kafka": feed.source, "topics": feed.topics, "finished_topics": feed.finished_topics,
        "known": known.get(feed.name, []), "is_accepted": accepted is true or (accepted and feed.name in accepted),
    }) -%}
{%- endfor -%}
{%- if asks_brokers -%}
    {%- set request = {
        "run_id": ticdc.run_id() | int, "cap": var("ticdc__messages_per_run", none), "feeds": asked,
    } -%}
    {%- set query = "select ticdc_kafka_offsets(cast(unhex('" ~ tojson(request).encode().hex() ~ "') as string))" -%}
    {%- do answer.update(fromjson(run_query(query).rows[0][0])) -%}
{%- endif -%}
{#- a broker that does not answer -#}
{%- if answer.problem -%}{%- do exceptions.raise_compiler_error("ticdc: " ~ answer.problem) -%}{%- endif -%}
{{ ticdc.takes(is_idle=not answer.is_new) }}
select * from {{ ticdc.planned_offsets(answer.planned) }} as planned
