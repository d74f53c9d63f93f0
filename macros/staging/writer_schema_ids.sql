{% macro writer_schema_ids(feed) -%}
    {%- set framing = feed.decoding.get("framing", "confluent") -%}
    struct(
        {{ ticdc.writer_schema_id("key", framing) }} as key, {{ ticdc.writer_schema_id("value", framing) }} as value
    )
{%- endmacro %}
