{{
    config(
        materialized="ticdc_append",
        is_kept=true,
        partition_by=["batch_id", "feed"],
        facts="select count(*) > 0 as has_rows from (select 1 from {rows} limit 1)",
    )
}}
{%- set files, names = [], {} -%}
{%- set feeds = ticdc.feeds() | selectattr("claim_check") | list -%}
{%- set known = ticdc.rows_of(this) if ticdc.has_rows() else none -%}
{%- set waiting_rows = ticdc.rows_without_content(ref("int_ticdc__events"), known) -%}
{%- set query = "select distinct feed, claim_check from (" ~ waiting_rows ~ ")" -%}
{%- for row in (run_query(query).rows if feeds and ticdc.is_built(ref("int_ticdc__events")) else []) -%}
    {%- do names.setdefault(row[0], []).append(row[1]) -%}
{%- endfor -%}
{#- the folder of a feed is listed only if one of its rows waits -#}
{%- for feed in feeds if feed.name in names -%}
    {#- Spark reads only files that a filter on their metadata leaves -#}
    {%- set named_files %}
    binaryFile.{{ ticdc.identifier(feed.claim_check) }}
        with ('recursiveFileLookup' = 'true', 'ignoreMissingFiles' = 'true')
    where _metadata.file_name in ({{ ticdc.text_literals(names[feed.name]) }})
    {%- endset -%}
    {#- a folder that is not there, or that Spark cannot list, holds no file: the rows go on waiting -#}
    {%- set found = run_query(
        "begin declare exit handler for sqlexception select '' as file_name where false; "
        ~ "select distinct _metadata.file_name from " ~ named_files ~ "; end"
    ) -%}
    {%- if found.rows -%}
        {%- do files.append({"feed": feed, "named_files": named_files}) -%}
    {%- endif -%}
{%- endfor -%}
{%- if files %}

with

waiting_rows as (

    {{ waiting_rows }}

),

decoded as (

    {% for file in files -%}
    select
        {{ ticdc.text_literal(file.feed.name) }} as feed,
        _metadata.file_path,
        _metadata.file_name,
        ticdc_claim_check(content) as message,
        message.key as key,
        message.value as value,
        {{ ticdc.text_literal(file.feed.options) }} as options,
        {{ file.feed.decode if file.feed.gives_list else "array(" ~ file.feed.decode ~ ")" }} as events
    from {{ file.named_files }}
    {% if not loop.last %}
    union all
    {% endif %}
    {%- endfor %}

),

contents as (

    select /*+ broadcast(waiting_rows) */
        waiting_rows.topic,
        waiting_rows.`partition`,
        waiting_rows.`offset`,
        waiting_rows.event_index,
        waiting_rows.message_at,
        waiting_rows.commit_ts,
        waiting_rows.commit_ts_exact,
        waiting_rows.schema_name,
        waiting_rows.table_name,
        waiting_rows.feed,
        waiting_rows.protocol,
        decoded.file_path,
        try_element_at(
            filter(
                decoded.events,
                event ->
                    event.kind = 'row'
                    and event.schema_name = waiting_rows.schema_name
                    and event.table_name = waiting_rows.table_name
                    and event.commit_ts = waiting_rows.commit_ts
                    and event.claim_check is null
            ),
            1
        ) as event,
        coalesce(try_element_at(decoded.events, 1).error_code, 'bad_shape') as error_code,
        coalesce(
            try_element_at(decoded.events, 1).error_message, 'the file holds no row of this table and commit'
        ) as error_message
    from waiting_rows
    inner join decoded
        on waiting_rows.feed = decoded.feed and waiting_rows.claim_check = decoded.file_name

),

ranked as (

    select
        *,
        -- below one folder, files of one name may stand in several
        row_number() over (
            partition by feed, topic, `partition`, `offset`, event_index order by event is null, file_path
        ) as place
    from contents

)

select
    ranked.topic,
    ranked.`partition`,
    ranked.`offset`,
    ranked.event_index,
    ranked.message_at,
    coalesce(ranked.event.kind, 'error') as kind,
    ranked.commit_ts,
    ranked.commit_ts_exact,
    ranked.event.start_ts,
    ranked.schema_name,
    ranked.table_name,
    ranked.event.physical_table_id,
    ranked.event.op,
    ranked.event.row_key,
    ranked.event.before_key,
    ranked.event.before,
    ranked.event.after,
    ranked.event.table_schema_id,
    ranked.event.table_schema,
    ranked.event.ddl_query,
    ranked.event.ddl_type,
    ranked.event.lossy,
    if(ranked.event is null, ranked.error_code, null) as error_code,
    if(ranked.event is null, ranked.error_message, null) as error_message,
    ranked.event.checksum,
    ranked.event.checksum_mismatch,
    ranked.event.claim_check,
    ranked.event.row_id,
    ranked.event is null or {{ ticdc.has_schema("ranked.event") }} as is_resolved,
    {{ ticdc.run_id() }} as run_id,
    false as is_redriven,
    ranked.protocol,
    ranked.feed
from ranked
{% if known -%}
-- an unusable file is read again, as it may have changed, and recorded once
left anti join {{ known }} as known
    on
        ranked.feed = known.feed
        and ranked.topic = known.topic
        and ranked.`partition` = known.`partition`
        and ranked.`offset` = known.`offset`
        and ranked.event_index = known.event_index
        and ranked.event is null
        and known.error_message = ranked.error_message
{% endif -%}
where ranked.place = 1
{%- else %}
{{ ticdc.takes(is_idle=true) }}
select * from {{ ref("int_ticdc__events") }}
where false
{%- endif %}
