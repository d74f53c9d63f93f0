{# Gives CTEs of which the last, `writer_schemas`, holds each writer schema by feed and id: packed (`schema`), or why
   it is missing (`error_message`). Where the user's export has the table of a schema, the schema has a member
   `ticdc.export` that tells its names and its virtual columns. #}
{% macro writer_schemas(protocol) -%}
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
