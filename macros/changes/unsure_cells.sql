{% macro unsure_cells() -%}
    {%- set catalogue = ref("int_ticdc__catalogue") -%}
    {%- set some = ticdc.asked("select 1 from " ~ ticdc.rows_of(catalogue) ~ " where has_unsure_cells limit 1", [catalogue]) -%}
    {%- if not some -%}
    cast(null as struct<before: string, after: string, lossy: array<string>>)
    {%- else -%}
    ticdc_unsure_cells(
        {{ ticdc.by_feed(ticdc.feeds(), "protocol", "changes.") }},
        if(versions.has_unsure_cells, versions.table_schema, null),
        {{ ticdc.by_feed(ticdc.feeds(), "options", "changes.") }},
        if(versions.has_unsure_cells, changes.before, null),
        if(versions.has_unsure_cells, changes.after, null),
        if(versions.has_unsure_cells, changes.lossy, null)
    )
    {%- endif -%}
{%- endmacro %}
