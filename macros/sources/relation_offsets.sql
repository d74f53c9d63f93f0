{% macro relation_offsets(feeds) -%}
select
        feed,
        topic,
        `partition`,
        `offset`,
        message_at
    from ({{ ticdc.relation_messages(feeds) }}) as messages
{%- endmacro %}
