{# Gives what stands after `from` to read files below the folder of a storage sink, whatever their names begin with.
   #}
{% macro files_in(feed, below) -%}
    {#- Spark passes over names that begin with _ or . below a folder that it lists, and over none of a pattern. -#}
    {%- set folder = modules.re.sub("([\\[\\]{}*?\\\\])", "\\\\\\1", feed.source.files.rstrip("/")) -%}
    binaryFile.{{ ticdc.identifier(folder ~ below) }}
    with ('recursiveFileLookup' = 'true', 'ignoreMissingFiles' = 'true')
{%- endmacro %}

{# Gives the SQL of a file's path below the folder of a storage sink, from Spark's column `path`. #}
{% macro path_in_files(feed) -%}
    {%- set scheme = "^[A-Za-z0-9+.-]+:(//[^/]*)?" -%}
    {%- set folder = modules.re.sub("/+", "/", modules.re.sub(scheme, "", feed.source.files)).rstrip("/") -%}
    substring(regexp_replace(path, '{{ scheme }}', ''), {{ folder | length + 2 }})
{%- endmacro %}

{# Gives the SQL of the files of a storage sink that are there, without opening them, in the columns of
   `int_ticdc__files`. #}
{% macro listed_files(feed) %}
select
    path,
    cast(0 as bigint) as `offset`,
    location,
    told.kind,
    told.table_folder,
    told.version,
    length,
    modified_at,
    cast(null as binary) as content,
    {{ ticdc.text_literal(feed.name) }} as feed
from (
    select
        *,
        ticdc_storage_path(path) as told
    from (
        select
            {{ ticdc.path_in_files(feed) }} as path,
            _metadata.file_path as location,
            length,
            modificationTime as modified_at
        from {{ ticdc.files_in(feed, "/*/*") }}
    ) as files
) as told_files
where told.kind in ('data', 'schema') or (told.kind = 'other' and path rlike '[.](csv|json)$')
{% endmacro %}

{# Asks a query on files, and gives its rows; none where their folder is not there. #}
{% macro rows_if_found(query, columns) %}
    {% do return(run_query(
        "begin declare exit handler for PATH_NOT_FOUND select '' as " ~ columns | join(", '' as ") ~ " where false; "
        ~ query ~ "; end"
    ).rows) %}
{% endmacro %}

{# Reads `metadata` of a storage sink, and gives the SQL of its row for `int_ticdc__files`; none where there is no
   such file. #}
{% macro checkpoint_of_files(feed) %}
    {% set query %}
select
    base64(content),
    unix_micros(modificationTime),
    coalesce(
        try_cast(get_json_object(cast(content as string), '$.checkpoint-ts') as bigint), unix_micros(modificationTime)
    ),
    _metadata.file_path
from {{ ticdc.files_in(feed, "/metadata") }}
    {% endset %}
    {% set found = ticdc.rows_if_found(query, ["content", "modified_at", "checkpoint_ts", "location"]) %}
    {% if not found %}{% do return(none) %}{% endif %}
    {% set content, modified_at, checkpoint_ts, location = found[0] %}
    {% set row %}
select
    'metadata' as path,
    cast({{ checkpoint_ts }} as bigint) as `offset`,
    {{ ticdc.text_literal(location) }} as location,
    'metadata' as kind,
    cast(null as string) as table_folder,
    cast(null as bigint) as version,
    cast(octet_length(unbase64({{ ticdc.text_literal(content) }})) as bigint) as length,
    timestamp_micros({{ modified_at }}) as modified_at,
    unbase64({{ ticdc.text_literal(content) }}) as content,
    {{ ticdc.text_literal(feed.name) }} as feed
    {% endset %}
    {% do return(row) %}
{% endmacro %}
