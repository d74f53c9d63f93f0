{% macro messages_with_schemas(messages, protocol) %}
{%- set has_commits = protocol ~ "__commits" in ticdc -%}
{{ ticdc.writer_schemas(protocol) }},

messages_with_schemas as (

    select /*+ broadcast(key_schemas, value_schemas) */
        messages.*,
        key_schemas.schema as key_schema,
        value_schemas.schema as value_schema,
        {% if has_commits -%}
        -- a deletion may have no value; of a schema that is not known there is no row
        messages.value is null or coalesce(not value_schemas.tells_commit, false) as lacks_commit,
        {% endif -%}
        coalesce(key_schemas.error_message, value_schemas.error_message) as schema_error
    from {{ messages }} as messages
    left join writer_schemas as key_schemas
        on messages.feed = key_schemas.feed and messages.schema_ids.key = key_schemas.schema_id
    left join writer_schemas as value_schemas
        on messages.feed = value_schemas.feed and messages.schema_ids.value = value_schemas.schema_id
    -- messages that came after this run asked for schemas are left to the next one
    where
        (messages.schema_ids.key is null or key_schemas.schema_id is not null)
        and (messages.schema_ids.value is null or value_schemas.schema_id is not null)

)
{% endmacro %}
