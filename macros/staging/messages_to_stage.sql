{% macro messages_to_stage(protocol, relation, redriven_feeds, staged) -%}
{%- set feeds = ticdc.feeds() | selectattr("protocol", "equalto", protocol) | list -%}
{%- if redriven_feeds -%}
known_events as (

    {{ ticdc.known_events(relation, redriven_feeds, protocol ~ "__commits" in ticdc) }}

),

{% endif -%}
messages as (

    select
        {{ ticdc.message_columns(protocol) }},
        false as is_redriven
    from ({{ ticdc.new_messages(feeds, staged) }}) as new
    {% if redriven_feeds %}
    union all

    select
        {{ ticdc.message_columns(protocol) }},
        true as is_redriven
    from ({{ ticdc.sent_messages(feeds | selectattr("name", "in", redriven_feeds) | list, "known_events") }}) as sent_before
    left semi join known_events using (feed, topic, `partition`, `offset`)
    {%- endif %}

)
{%- if "schemas" in ticdc.protocol_macro(protocol, "options")() -%},

{{ ticdc.messages_with_schemas("messages", protocol) }}
{%- endif -%}
{%- endmacro %}
