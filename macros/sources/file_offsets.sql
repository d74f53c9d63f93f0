{% macro file_offsets(feeds) -%}
select
        feed,
        path as topic,
        0 as `partition`,
        `offset`,
        modified_at as message_at
    from {{ ticdc.live_rows(ref("int_ticdc__files")) }} as ledger
    where kind <> 'other' and feed in ({{ ticdc.text_literals(feeds | map(attribute="name")) }})
{%- endmacro %}
