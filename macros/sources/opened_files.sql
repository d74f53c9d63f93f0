{% macro opened_files(feeds, read) -%}
    opened as (

        select /*+ broadcast(ledger) */
            ledger.* except (content),
            contents.content,
            {{ ticdc.by_feed(feeds, "options", "ledger.") | indent(8) }} as options
        from ({{ ticdc.file_contents(read, "locations") | indent(4) }}
        ) as contents
        inner join ledger on contents.feed = ledger.feed and contents.path = ledger.path

    ),

    split as (

        select
            *,
            ticdc_storage_rows(if(kind = 'data', content, null), {{ ticdc.text_literal(feeds[0].protocol) }}, options) as lines
        from opened

    )
{%- endmacro %}
