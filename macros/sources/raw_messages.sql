{% macro raw_messages(feed) -%}
{%- set relation, layout = ticdc.source_relation(feed), feed.source.layout -%}
{%- if layout == "aiven_json_lines" -%}
(
        select
            regexp_extract(_metadata.file_name, '^(.*)-(\\d+)-\\d+(\\.|$)', 1) as topic,
            cast(regexp_extract(_metadata.file_name, '^(.*)-(\\d+)-\\d+(\\.|$)', 2) as int) as `partition`,
            `offset`,
            `timestamp`,
            unbase64(key) as key,
            unbase64(value) as value
        from {{ relation }}
    ) as raw
{%- elif layout == "redpanda_iceberg" -%}
(
        select
            {{ ticdc.text_literal(modules.re.sub("\\\\(.)", "\\1", feed.topics[0])) }} as topic,
            redpanda.`partition`,
            redpanda.`offset`,
            redpanda.`timestamp`,
            redpanda.key,
            value
        from {{ relation }}
    ) as raw
{%- else -%}
{{ relation }}
{%- endif -%}
{%- endmacro %}
