{% macro messages_with_schemas(messages, protocol) %}
{%- set exported = var("ticdc__information_schema", none) if protocol ~ "__exported_tables" in ticdc else none -%}
{%- set has_commits = protocol ~ "__commits" in ticdc -%}
found_schemas as (

    select
        feed,
        schema_id,
        max_by(struct(schema, error_message), run_id) as found
    from {{ ticdc.rows_of(ref("int_ticdc__writer_schemas")) }}
    group by feed, schema_id

),

{% if exported -%}
exported_tables as (

    {{ ticdc.protocol_macro(protocol, "exported_tables")(exported) }}

),

{% endif -%}
writer_schemas as (

    select
        found_schemas.feed,
        found_schemas.schema_id,
        ticdc_pack_schema(
            {% if exported -%}
            if(
                exported_tables.export is null,
                found_schemas.found.schema,
                '{"ticdc.export":' || exported_tables.export || ','
                || substring(found_schemas.found.schema, instr(found_schemas.found.schema, '{') + 1)
            )
            {%- else -%}
            found_schemas.found.schema
            {%- endif %}
        ) as schema,
        {% if has_commits -%}
        {{ ticdc.protocol_macro(protocol, "tells_commit")("found_schemas.found.schema") }} as tells_commit,
        {% endif -%}
        found_schemas.found.error_message
    from found_schemas
    {% if exported -%}
    left join exported_tables
        on
            substring_index(get_json_object(found_schemas.found.schema, '$.namespace'), '.', -1)
            = exported_tables.wire_schema_name
            and get_json_object(found_schemas.found.schema, '$.name') = exported_tables.wire_table_name
    {%- endif %}

),

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
