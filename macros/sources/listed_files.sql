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
