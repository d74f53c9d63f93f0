{% macro stage_messages(protocol) %}
with

messages as (

    {% for feed in ticdc.feeds() if feed.protocol == protocol -%}
    select
        {{ ticdc.text_literal(feed.name) }} as feed,
        topic,
        `partition`,
        `offset`,
        `timestamp` as message_at,
        key,
        value,
        {{ ticdc.text_literal(tojson(feed.decoding, sort_keys=true)) }} as options,
        {{ "true" if feed.claim_check else "false" }} as reads_files
    from {{ source("ticdc", "messages") }}
    where
        {{ ticdc.is_of_feed(feed) }}
        and {{ ticdc.is_not_staged(feed) }}
    {% if not loop.last %}
    union all
    {% endif %}
    {%- endfor %}

),

decoded as (

    select
        *,
        {{ ticdc.protocol_macro(protocol, "decode")() }} as events
    from messages

),

events as (

    select
        decoded.*,
        event_index,
        event
    from decoded
    lateral view posexplode(events) exploded as event_index, event

)

select
    topic,
    `partition`,
    `offset`,
    event_index,
    message_at,
    event.kind,
    event.commit_ts,
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
    event.error_message,
    event.checksum,
    event.checksum_mismatch,
    if(reads_files, event.claim_check, null) as claim_check,
    not (reads_files and event.claim_check is not null) and {{ ticdc.has_schema("event") }} as is_resolved,
    if(event.kind = 'error', key, null) as key,
    if(event.kind = 'error', value, null) as value,
    {{ ticdc.run_id() }} as run_id,
    feed
from events
{% endmacro %}
