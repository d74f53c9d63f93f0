{% macro messages_with_schemas(messages) %}
found_schemas as (

    select
        feed,
        schema_id,
        max_by(struct(schema, error_message), run_id) as found
    from {{ ref("int_ticdc__writer_schemas") }}
    group by feed, schema_id

),

messages_with_ids as (

    select
        *,
        {{ ticdc.writer_schema_ids() }} as schema_ids
    from {{ messages }}

),

messages_with_schemas as (

    select /*+ broadcast(key_schemas, value_schemas) */
        messages_with_ids.*,
        key_schemas.found.schema as key_schema,
        value_schemas.found.schema as value_schema,
        coalesce(key_schemas.found.error_message, value_schemas.found.error_message) as schema_error
    from messages_with_ids
    left join found_schemas as key_schemas
        on messages_with_ids.feed = key_schemas.feed and messages_with_ids.schema_ids.key = key_schemas.schema_id
    left join found_schemas as value_schemas
        on messages_with_ids.feed = value_schemas.feed and messages_with_ids.schema_ids.value = value_schemas.schema_id
    -- messages that came after this run asked for schemas are left to the next one
    where
        (messages_with_ids.schema_ids.key is null or key_schemas.schema_id is not null)
        and (messages_with_ids.schema_ids.value is null or value_schemas.schema_id is not null)

)
{% endmacro %}
