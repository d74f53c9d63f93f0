{% macro schema_files(read) -%}
    schema_files as (

        select
            known.feed,
            known.path,
            known.table_folder,
            known.version,
            cast(contents.content as string) as text
        from ({{ ticdc.file_contents(read, "schemas") | indent(4) }}
        ) as contents
        inner join {{ ticdc.rows_of(ref("int_ticdc__files")) }} as known
            on contents.feed = known.feed and contents.path = known.path and known.kind = 'schema'

    )
{%- endmacro %}
