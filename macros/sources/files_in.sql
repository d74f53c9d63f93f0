{% macro files_in(feed, below) -%}
    {#- Spark passes over names that begin with _ or . below a folder that it lists, and over none that a pattern matches. -#}
    binaryFile.{{ ticdc.identifier(modules.re.sub("([\\[\\]{}*?\\\\])", "\\\\\\1", feed.source.files.rstrip("/")) ~ below) }} with ('recursiveFileLookup' = 'true', 'ignoreMissingFiles' = 'true')
{%- endmacro %}
