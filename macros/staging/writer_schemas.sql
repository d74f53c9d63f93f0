{% macro writer_schemas(protocol) -%}
{%- set exported = var("ticdc__information_schema", none) if protocol ~ "__exported_tables" in ticdc else none -%}
{%- set has_commits = protocol ~ "__commits" in ticdc -%}
found_schemas as (

    select
        feed,
        schema_id,
        max_by(struct(schema, error_message), run_id) as found
    from {{ ticdc.rows_of(ref("int_ticdc__writer_schemas")) }} as writer_schemas
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

)
{%- endmacro %}
