{# Gives CTEs, of which the last, `messages_with_schemas`, has the CTE `messages` beside the schemas that they were
   written with, and `writer_schemas` each of these by feed and id: packed (`schema`), or why it is missing
   (`error_message`). Where the user's export has the table of a schema, the schema has a member `ticdc.export` that
   tells its names and its virtual columns. #}
{% macro messages_with_schemas(protocol) -%}
{%- set feeds = ticdc.feeds() | selectattr("protocol", "equalto", protocol) | list -%}
{%- set told = ticdc.protocols()[protocol] -%}
{%- set exported = var("ticdc__information_schema", none) if told.changes_names else none -%}
found_schemas as (

    select
        feed,
        schema_id,
        max_by(struct(schema, error_message), run_id) as found
    from {{ ticdc.rows_of(ref("int_ticdc__writer_schemas")) }} as writer_schemas
    group by feed, schema_id

),

{% if exported -%}
exported_columns as (

    select
        table_schema as schema_name,
        table_name,
        column_name as name,
        -- in Avro other characters are _, and one stands before a leading digit
        {% for name, wire_name in {
            "table_schema": "wire_schema_name", "table_name": "wire_table_name", "column_name": "wire_name",
        }.items() -%}
        regexp_replace(
            regexp_replace({{ name }}, '[^A-Za-z0-9_]', '_'), '^([0-9])', '_$1'
        ) as {{ wire_name }},
        {% endfor -%}
        coalesce(lower(extra) like '%virtual generated%', false) as is_virtual
    from {{ exported }}

),

-- under each pair of names in Avro, the tables that bear them and their columns
exported_tables as (

    select
        wire_schema_name,
        wire_table_name,
        to_json(
            struct(
                collect_set(struct(schema_name, table_name)) as tables,
                collect_list(struct(name, wire_name, is_virtual)) as columns
            )
        ) as export
    from exported_columns
    group by wire_schema_name, wire_table_name

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
        {% if told.may_lack_commits -%}
        instr(found_schemas.found.schema, '"_tidb_commit_ts"') > 0 as tells_commit,
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
        {% if told.may_lack_commits -%}
        -- a deletion may have no value; of a schema that is not known there is no row
        messages.value is null or coalesce(not value_schemas.tells_commit, false) as lacks_commit,
        {% endif -%}
        coalesce(key_schemas.error_message, value_schemas.error_message) as schema_error
    from (
        select
            *,
            {{ ticdc.writer_schema_ids(feeds) | indent(8) }} as schema_ids
        from messages
    ) as messages
    left join writer_schemas as key_schemas
        on messages.feed = key_schemas.feed and messages.schema_ids.key = key_schemas.schema_id
    left join writer_schemas as value_schemas
        on messages.feed = value_schemas.feed and messages.schema_ids.value = value_schemas.schema_id
    -- messages that came after this run asked for schemas are left to the next one
    where
        (messages.schema_ids.key is null or key_schemas.schema_id is not null)
        and (messages.schema_ids.value is null or value_schemas.schema_id is not null)

)
{%- endmacro %}

{# Gives the SQL expression of the ids of the writer schemas of a message (a struct of `key` and `value`), from its
   columns as `messages_of_feeds` gives them. #}
{% macro writer_schema_ids(feeds) -%}
    struct(
        {%- for message in ["key", "value"] %}
        if(
            {{ ticdc.by_feed(feeds, "framing") }} = 'glue',
            {{ ticdc.writer_schema_id(message, "glue") }},
            {{ ticdc.writer_schema_id(message, "confluent") }}
        ) as {{ message }}
        {{- "," if not loop.last }}
        {%- endfor %}
    )
{%- endmacro %}

{# Gives the SQL expression of the id of the writer schema that a framed message names. #}
{% macro writer_schema_id(message, framing) -%}
    {%- if framing == "glue" -%}
    if(
        startswith({{ message }}, unhex('0300')) and octet_length({{ message }}) >= 18,
        regexp_replace(
            lower(hex(substring({{ message }}, 3, 16))),
            '^(.{8})(.{4})(.{4})(.{4})(.{12})$',
            '$1-$2-$3-$4-$5'
        ),
        null
    )
    {%- else -%}
    if(
        startswith({{ message }}, unhex('00')) and octet_length({{ message }}) >= 5,
        conv(hex(substring({{ message }}, 2, 4)), 16, 10),
        null
    )
    {%- endif -%}
{%- endmacro %}
