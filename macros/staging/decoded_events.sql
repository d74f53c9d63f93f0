{% macro decoded_events(protocol, has_commits) -%}
{%- set has_batches = protocol ~ "__decode_batch" in ticdc -%}
decoded as (

    select
        *,
        {% if has_batches -%}
        {{ ticdc.protocol_macro(protocol, "decode_batch")() }} as events
        {%- else -%}
        {{ ticdc.protocol_macro(protocol, "decode")() }} as event
        {%- endif %}
    from {{ "messages_with_schemas" if "schemas" in ticdc.protocol_macro(protocol, "options")() else "messages" }}
    {%- if protocol ~ "__commits" in ticdc and not has_commits %}
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
{%- endmacro %}
