{% macro message_columns(protocol) -%}
    {%- set feeds = ticdc.feeds() | selectattr("protocol", "equalto", protocol) | list -%}
    feed,
    topic,
    `partition`,
    `offset`,
    message_at,
    key,
    value,
    {% if "output_field_header" in ticdc.protocol_macro(protocol, "options")() -%}
    table_schema,
    header,
    {% endif -%}
    {{ ticdc.by_feed(feeds, "options") }} as options,
    {% if "schemas" in ticdc.protocol_macro(protocol, "options")() -%}
    {{ ticdc.writer_schema_ids(feeds) }} as schema_ids,
    {% endif -%}
    feed in ({{ ticdc.text_literals([""] + feeds | selectattr("claim_check") | map(attribute="name") | list) }}) as reads_files
{%- endmacro %}
