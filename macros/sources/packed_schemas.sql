{% macro packed_schemas(read) -%}
{{ ticdc.schema_files(read) }},

    versions as (

        select distinct
            feed,
            table_folder,
            version
        from ledger
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

    -- packed, as the text goes to the decoder with every row
    packed_schemas as (

        select
            * except (files),
            ticdc_pack_schema('[' || array_join(transform(files, file -> file.text), ',') || ']') as table_schema
        from schemas_up_to

    ),

{% endmacro %}
