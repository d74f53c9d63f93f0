{% macro named_files(feed, names) -%}
    {#- Spark reads only files that a filter on their metadata leaves. -#}
    binaryFile.{{ ticdc.identifier(feed.claim_check) }} with ('recursiveFileLookup' = 'true', 'ignoreMissingFiles' = 'true')
    where _metadata.file_name in (
        {%- for name in names %}{{ ticdc.text_literal(name) }}{{ ", " if not loop.last }}{% endfor -%}
    )
{%- endmacro %}
