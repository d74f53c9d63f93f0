{% macro checkpoint_of_files(feed) %}
    {% set found = run_query(
        "begin declare exit handler for PATH_NOT_FOUND select '' as content, '' as modified_at, '' as checkpoint_ts, '' as location where false; "
        ~ "select base64(content), unix_micros(modificationTime), coalesce(try_cast(get_json_object(cast(content as string), '$.checkpoint-ts') as bigint), "
        ~ "unix_micros(modificationTime)), _metadata.file_path from " ~ ticdc.files_in(feed, "/metadata") ~ "; end"
    ).rows %}
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
