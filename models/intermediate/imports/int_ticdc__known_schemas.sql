{%- set feeds = ticdc.feeds() | selectattr("schemas", "string") | list -%}
{{ config(enabled=feeds | length > 0) }}
{%- set exported, protocols, changing_names = var("ticdc__information_schema", none), ticdc.protocols(), [] -%}
{%- for feed in feeds if exported and protocols[feed.protocol].changes_names -%}
    {%- do changing_names.append(feed.name) -%}
{%- endfor %}
with

writer_schemas as (

    select
        feed,
        schema_id,
        max_by(struct(schema, error_message), run_id) as found
    from {{ ticdc.live_rows(ref("int_ticdc__writer_schemas")) }} as writer_schemas
    group by feed, schema_id

){% if changing_names %},

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

)
{%- endif %}

select
    writer_schemas.feed,
    writer_schemas.schema_id,
    {% if changing_names -%}
    if(
        exported_tables.export is null,
        writer_schemas.found.schema,
        '{"ticdc.export":' || exported_tables.export || ','
        || substring(writer_schemas.found.schema, instr(writer_schemas.found.schema, '{') + 1)
    ) as schema,
    {%- else -%}
    writer_schemas.found.schema,
    {%- endif %}
    instr(writer_schemas.found.schema, '"_tidb_commit_ts"') > 0 as tells_commit,
    writer_schemas.found.error_message
from writer_schemas
{% if changing_names -%}
left join exported_tables
    on
        writer_schemas.feed in ({{ ticdc.text_literals(changing_names) }})
        and substring_index(get_json_object(writer_schemas.found.schema, '$.namespace'), '.', -1)
        = exported_tables.wire_schema_name
        and get_json_object(writer_schemas.found.schema, '$.name') = exported_tables.wire_table_name
{%- endif %}
