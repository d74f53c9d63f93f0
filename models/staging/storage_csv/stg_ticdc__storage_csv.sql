{{
    config(
        materialized="ticdc_append",
        is_kept=not var("ticdc__redecode", false),
        partition_by=["batch_id", "is_redriven", "feed"],
        enabled="storage_csv" in ticdc.protocols_in_use(),
    )
}}
{%- set read = ticdc.messages_in_files("storage_csv", this if ticdc.has_rows() else none) -%}
{#- of a run that stages nothing no schemas are looked for -#}
{%- set feeds = ticdc.feeds() | selectattr("protocol", "equalto", "storage_csv") | list -%}
{%- set schema_files -%}
    select known.*
    from {{ ticdc.rows_of(ref("int_ticdc__files")) }} as known
    left semi join ({{ read.files }}) as files
        on known.feed = files.feed and known.table_folder = files.table_folder and files.kind = 'data'
    where known.kind = 'schema'
{%- endset -%}
{%- set schemas -%}
schema_files as (

    select
        known.feed,
        known.path,
        known.table_folder,
        known.version,
        cast(contents.content as string) as text
    from ({{ ticdc.file_contents([] if read.is_idle else feeds, schema_files) }}) as contents
    inner join {{ ticdc.rows_of(ref("int_ticdc__files")) }} as known
        on contents.feed = known.feed and contents.path = known.path and known.kind = 'schema'

),

versions as (

    select distinct
        feed,
        table_folder,
        version
    from ({{ read.files }}) as files
    where kind = 'data'

),

schemas_up_to as (

    select
        versions.feed,
        versions.table_folder,
        versions.version,
        -- of those before it the statements alone count
        array_sort(collect_list(struct(schema_files.version, schema_files.path, if(
            schema_files.version = versions.version,
            schema_files.text,
            to_json(struct(
                coalesce(get_json_object(schema_files.text, '$.Schema'), '') as `Schema`,
                coalesce(get_json_object(schema_files.text, '$.Table'), '') as `Table`,
                schema_files.version as `TableVersion`,
                coalesce(get_json_object(schema_files.text, '$.Query'), '') as `Query`,
                0 as `Type`,
                cast(array() as array<string>) as `TableColumns`
            ))
        ) as text))) as files
    from versions
    inner join schema_files
        on
            versions.feed = schema_files.feed
            and versions.table_folder = schema_files.table_folder
            and schema_files.version <= versions.version
    group by versions.feed, versions.table_folder, versions.version

),

-- the schema files up to the version of a data file, packed, as the text goes to the decoder with every row
packed_schemas as (

    select
        * except (files),
        ticdc_pack_schema('[' || array_join(transform(files, file -> file.text), ',') || ']') as table_schema
    from schemas_up_to

),

messages_with_schemas as (

    select /*+ broadcast(packed_schemas) */
        messages.*,
        packed_schemas.table_schema
    from messages
    left join packed_schemas
        on
            messages.feed = packed_schemas.feed
            and messages.table_folder = packed_schemas.table_folder
            and messages.version = packed_schemas.version

)
{%- endset -%}
{{ ticdc.stage_messages("storage_csv", read, schemas) }}
