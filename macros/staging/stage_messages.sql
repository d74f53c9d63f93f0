{# The query of a staging model: all events of the messages that the model lacks, and, where dead letters are decoded
   again, what becomes of those. `read` is what `messages_in_topics` or `messages_in_files` give; `schemas` CTEs, of
   which the last, `messages_with_schemas`, has the CTE `messages` beside schemas; `commits` a query of the commits of
   rows that lack them. #}
{% macro stage_messages(protocol, read, schemas="", commits="") %}
{%- set feeds = ticdc.feeds() | selectattr("protocol", "equalto", protocol) | list -%}
{%- set told = ticdc.protocols()[protocol] -%}
{%- set payloads = {"keep": ["", ""], "hash": ["unhex(sha2(", ", 256))"]} -%}
{%- set payload = payloads.get(var("ticdc__dead_letter_payloads", "keep") | string) -%}
{%- set gone = "the source no longer has the message; it was: " %}
{%- set of_files = [""] + feeds | selectattr("claim_check") | map(attribute="name") | list -%}
{%- set sources = {"false": "(" ~ read.new ~ ") as new"} -%}
{%- if read.redriven -%}
{%- set again = "(" ~ read.again ~ ") as sent_before" -%}
{%- do sources.update({"true": again ~ " left semi join known_events using (feed, topic, `partition`, `offset`)"}) -%}
{%- endif %}
{{ ticdc.takes(read.settles, is_idle=read.is_idle) }}
with

{% if read.redriven -%}
known_events as (

    {{ ticdc.known_events(this, read.redriven, told.may_lack_commits) }}

),

{% endif -%}
-- the new ones, and those of dead letters that are decoded again
messages as (

    {% for is_redriven, source in sources.items() -%}
    select
        feed,
        topic,
        `partition`,
        `offset`,
        message_at,
        key,
        value,
        {{ "table_folder, version, header," if "files" in read }}
        {{ ticdc.by_feed(feeds, "options") }} as options,
        feed in ({{ ticdc.text_literals(of_files) }}) as reads_files,
        {{ is_redriven }} as is_redriven
    from {{ source }}
    {{ "union all" if not loop.last }}
    {% endfor %}
),

{% if schemas -%}
{{ schemas }},

{% endif -%}
decoded as (

    select
        *,
        {{ told.decode }} as {{ "events" if told.gives_list else "event" }}
    from {{ "messages_with_schemas" if schemas else "messages" }}
    {%- if told.may_lack_commits and not commits %}
    -- one that came after this run looked is left to the next one
    where not lacks_commit
    {%- endif %}

),

events as (

    select
        {{ "decoded.* except (events, key, value)" if told.gives_list else "* except (key, value)" }},
        {{ "event_index, event" if told.gives_list else "0 as event_index" }},
        {% for column in ["key", "value"] -%}
        if(
            event.kind = 'error',
            {{ payload[0] ~ column ~ payload[1] if payload else "cast(null as binary)" }},
            null
        ) as {{ column }},
        if(event.kind = 'error', octet_length({{ column }}), null) as {{ column }}_length{{ "," if not loop.last }}
        {% endfor -%}
    from decoded
    {%- if told.gives_list %}
    lateral view posexplode(events) exploded as event_index, event
    {%- endif %}

)
{%- if commits -%},

commits as (

    {{ commits }}

)
{%- endif %}
{%- if read.redriven -%},

staged_events as (
{%- endif %}

select
    topic,
    `partition`,
    `offset`,
    event_index,
    message_at,
    event.kind,
    {{ "coalesce(event.commit_ts, commits.commit_ts) as commit_ts" if commits else "event.commit_ts" }},
    event.commit_ts_exact,
    event.start_ts,
    event.schema_name,
    event.table_name,
    event.physical_table_id,
    event.op,
    event.row_key,
    event.before_key,
    event.before,
    event.after,
    event.table_schema_id,
    event.table_schema,
    event.ddl_query,
    event.ddl_type,
    event.lossy,
    event.error_code,
    {% if told.has_writer_schemas -%}
    if(
        event.error_code = 'schema_missing', concat_ws(': ', event.error_message, schema_error), event.error_message
    ) as error_message,
    {%- else -%}
    event.error_message,
    {%- endif %}
    event.checksum,
    event.checksum_mismatch,
    if(reads_files, event.claim_check, null) as claim_check,
    event.row_id,
    not (reads_files and event.claim_check is not null) and {{ ticdc.has_schema("event", protocol) }} as is_resolved,
    key,
    value,
    key_length,
    value_length,
    {{ ticdc.run_id() }} as run_id,
    is_redriven,
    feed
from events
{% if commits -%}
left join commits using (feed, topic, `partition`, `offset`)
{% endif -%}
{% if read.redriven %}
)

select staged_events.*
from staged_events
-- what came out as it was before, or worse, is not written again
left anti join known_events
    on
        staged_events.is_redriven
        and staged_events.feed = known_events.feed
        and staged_events.topic = known_events.topic
        and staged_events.`partition` = known_events.`partition`
        and staged_events.`offset` = known_events.`offset`
        and staged_events.event_index = known_events.event_index
        and (
            (known_events.kind <> 'error' and staged_events.kind = 'error')
            or (
                staged_events.kind = known_events.kind
                and staged_events.commit_ts <=> known_events.commit_ts
                and staged_events.error_code <=> known_events.error_code
                and staged_events.error_message <=> known_events.error_message
            )
        )

union all

select
    {% for column in adapter.get_columns_in_relation(this) if column.name != "batch_id" -%}
    {% if column.name == "error_message" -%}
    {{ ticdc.text_literal(gone) }} || error_message as error_message
    {%- elif column.name == "run_id" -%}
    {{ ticdc.run_id() }} as run_id
    {%- elif column.name == "is_redriven" -%}
    true as is_redriven
    {%- else -%}
    {{ column.quoted }}
    {%- endif -%}
    {{ "," if not loop.last }}
    {% endfor %}
from known_events
left anti join (select * from messages where is_redriven) as messages using (feed, topic, `partition`, `offset`)
where kind = 'error' and not startswith(error_message, {{ ticdc.text_literal(gone) }})
{% endif -%}
{% endmacro %}

{# The condition that an event lacks nothing that the schema of its table tells. #}
{% macro has_schema(event, protocol=none) -%}
    {%- set hides_defaults = ticdc.protocols().get(protocol, {}).hides_nulls_of == "defaults" -%}
    {%- if hides_defaults and var("ticdc__information_schema", none) -%}
    {#- only the export tells the defaults that the encoder writes in place of NULL -#}
    {{ event }}.kind <> 'row'
    {%- else -%}
    (
        {{ event }}.kind <> 'row'
        or not exists(
            {{ event }}.lossy, flag -> substring_index(flag, ':', -1) in ('no_schema', 'label_unknown', 'no_key')
        )
    )
    {%- endif -%}
{%- endmacro %}
