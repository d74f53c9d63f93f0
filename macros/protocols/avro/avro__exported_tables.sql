{% macro avro__exported_tables(exported) %}
    with

    exported_columns as (

        select
            table_schema as schema_name,
            table_name,
            column_name as name,
            {{ ticdc.avro__name("table_schema") }} as wire_schema_name,
            {{ ticdc.avro__name("table_name") }} as wire_table_name,
            {{ ticdc.avro__name("column_name") }} as wire_name,
            coalesce(lower(extra) like '%virtual generated%', false) as is_virtual
        from {{ exported }}

    )

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
{% endmacro %}
