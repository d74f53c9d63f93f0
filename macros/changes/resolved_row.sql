{% macro resolved_row(lossy) -%}
    ticdc_resolve_row(
        protocol,
        known_schema,
        {{ ticdc.by_feed(ticdc.feeds(), "options") }},
        row_key,
        before_key,
        before,
        after,
        {{ lossy }},
        checksum,
        key_columns
    )
{%- endmacro %}
