{% macro stage_messages(protocol) %}
{%- set feeds = ticdc.feeds() | selectattr("protocol", "equalto", protocol) | list -%}
{%- set has_writer_schemas = "schemas" in ticdc.protocol_macro(protocol, "options")() -%}
{%- set has_batches = protocol ~ "__decode_batch" in ticdc -%}
{%- set has_schema = ticdc[protocol ~ "__has_schema"] if protocol ~ "__has_schema" in ticdc else ticdc.has_schema -%}
{%- set staged = this if ticdc.has_rows() else none -%}
{%- set redriven_feeds = ticdc.feeds_to_redrive(protocol, staged) -%}
{%- set first_run_id = ticdc.first_run_id(staged) -%}
{%- set staged_offsets = ticdc.staged_offsets(protocol, staged, first_run_id) -%}
{%- if staged and not redriven_feeds and not ticdc.some_are_new(feeds, staged_offsets) %}{% do ticdc.nothing_new() %}{% endif %}
{%- set may_lack_commits = protocol ~ "__commits" in ticdc -%}
{%- set known_events -%}
{%- if redriven_feeds -%}
known_events as (

    {{ ticdc.known_events(staged, redriven_feeds, may_lack_commits) }}

),

{% endif -%}
{%- endset -%}
{%- set columns -%}
    feed,
        topic,
        `partition`,
        `offset`,
        message_at,
        key,
        value,
        {{ ticdc.by_feed(feeds, "options") }} as options,
        {% if has_writer_schemas -%}
        {{ ticdc.writer_schema_ids(feeds) }} as schema_ids,
        {% endif -%}
        feed in ({{ ticdc.text_literals([""] + feeds | selectattr("claim_check") | map(attribute="name") | list) }}) as reads_files
{%- endset -%}
{%- set messages -%}
messages as (

    select
        {{ columns }},
        false as is_redriven
    from ({{ ticdc.messages_of_feeds(feeds, staged_offsets) }}) as new
    {% if redriven_feeds %}
    union all

    select
        {{ columns }},
        true as is_redriven
    from ({{ ticdc.messages_of_feeds(feeds | selectattr("name", "in", redriven_feeds) | list) }}) as sent_before
    left semi join known_events using (feed, topic, `partition`, `offset`)
    {%- endif %}

),

{% if has_writer_schemas -%}
{{ ticdc.messages_with_schemas("messages", protocol) }},

{% endif -%}
{%- endset -%}
{%- set has_commits = may_lack_commits and (
    redriven_feeds or ticdc.some_lack_commits(known_events ~ messages)
) -%}
{%- do ticdc.to_settle({"run_id": first_run_id}) %}

with

{{ known_events -}}
{{ messages -}}
decoded as (

    select
        *,
        {% if has_batches -%}
        {{ ticdc.protocol_macro(protocol, "decode_batch")() }} as events
        {%- else -%}
        {{ ticdc.protocol_macro(protocol, "decode")() }} as event
        {%- endif %}
    from {{ "messages_with_schemas" if has_writer_schemas else "messages" }}
    {%- if may_lack_commits and not has_commits %}
    -- one that came after this run looked is left to the next one
    where not lacks_commit
    {%- endif %}

),

events as (

    select
        {% if has_batches -%}
        decoded.* except (events, key, value),
        event_index,
        event,
        {%- else -%}
        * except (key, value),
        0 as event_index,
        {%- endif %}
        if(event.kind = 'error', {{ ticdc.letter_payload("key") }}, null) as key,
        if(event.kind = 'error', {{ ticdc.letter_payload("value") }}, null) as value,
        if(event.kind = 'error', octet_length(key), null) as key_length,
        if(event.kind = 'error', octet_length(value), null) as value_length
    from decoded
    {%- if has_batches %}
    lateral view posexplode(events) exploded as event_index, event
    {%- endif %}

)
{%- if has_commits -%},

commits as (

    {{ ticdc.protocol_macro(protocol, "commits")("events", redriven_feeds | length > 0) }}

)
{%- endif %}
{%- if redriven_feeds -%},

staged_events as (
{%- endif %}

select
    topic,
    `partition`,
    `offset`,
    event_index,
    message_at,
    event.kind,
    {{ "coalesce(event.commit_ts, commits.commit_ts) as commit_ts" if has_commits else "event.commit_ts" }},
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
    {% if has_writer_schemas -%}
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
    not (reads_files and event.claim_check is not null) and {{ has_schema("event") }} as is_resolved,
    key,
    value,
    key_length,
    value_length,
    {{ ticdc.run_id() }} as run_id,
    is_redriven,
    feed
from events
{% if has_commits -%}
left join commits using (feed, topic, `partition`, `offset`)
{% endif -%}
{% if redriven_feeds %}
)

{{ ticdc.redriven_events(this) }}
{% endif -%}
{% endmacro %}
