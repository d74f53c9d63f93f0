{% macro stage_messages(protocol) %}
{%- set feeds = ticdc.feeds() | selectattr("protocol", "equalto", protocol) | list -%}
{%- set staged = this if ticdc.has_rows() else none -%}
{%- set redriven_feeds = ticdc.feeds_to_redrive(protocol, staged) -%}
{%- set first_run_id = ticdc.first_run_id(staged) -%}
{%- set staged_messages = ticdc.staged_offsets(protocol, staged, first_run_id) -%}
{%- if staged and not redriven_feeds and execute and not ticdc.has_new_messages(feeds, staged_messages) -%}
    {%- do ticdc.nothing_new() -%}
{%- endif -%}
{%- set messages = ticdc.messages_to_stage(protocol, staged, redriven_feeds, staged_messages) -%}
{%- set has_commits = protocol ~ "__commits" in ticdc and (redriven_feeds or ticdc.some_lack_commits(messages)) -%}
{%- do ticdc.to_settle(dict(ticdc.sources_progress(feeds), run_id=first_run_id)) %}

with

{{ messages }},

{{ ticdc.decoded_events(protocol, has_commits) }}
{%- if has_commits -%},

commits as (

    {{ ticdc.protocol_macro(protocol, "commits")("events", redriven_feeds | length > 0) }}

)
{%- endif %}
{%- if redriven_feeds -%},

staged_events as (
{%- endif %}

select
    {{ ticdc.staged_columns(protocol, has_commits) }}
from events
{% if has_commits -%}
left join commits using (feed, topic, `partition`, `offset`)
{% endif -%}
{% if redriven_feeds %}
)

{{ ticdc.redriven_events(this) }}
{% endif -%}
{% endmacro %}
