{%- set feeds = ticdc.feeds() | selectattr("reads", "equalto", "files") | list -%}
{{
    config(
        materialized="ticdc_append",
        is_kept=true,
        partition_by=["batch_id", "feed"],
        enabled=feeds | length > 0,
    )
}}
{%- set found, is_read = [], execute and not invocation_args_dict.get("empty") -%}
{%- for feed in (feeds if is_read else []) -%}
    {%- set files, name = [], ticdc.text_literal(feed.name) -%}
    {#- the checkpoint first: all that it covers is there when files are listed -#}
    {%- set checkpoint %}
select
    base64(content),
    unix_micros(modified_at),
    coalesce(
        try_cast(get_json_object(cast(content as string), '$.checkpoint-ts') as bigint),
        unix_micros(modified_at)
    ),
    location
from ({{ ticdc.files_in(feed, "/metadata") }}) as files
    {%- endset -%}
    {%- set columns = ["content", "modified_at", "checkpoint_ts", "location"] -%}
    {%- for content, modified_at, checkpoint_ts, location in ticdc.rows_if_found(checkpoint, columns)[:1] -%}
        {%- set content = ticdc.text_literal(content) -%}
        {%- set metadata %}
select
    'metadata' as path,
    cast({{ checkpoint_ts }} as bigint) as `offset`,
    {{ ticdc.text_literal(location) }} as location,
    'metadata' as kind,
    cast(null as string) as table_folder,
    cast(null as bigint) as version,
    cast(octet_length(unbase64({{ content }})) as bigint) as length,
    timestamp_micros({{ modified_at }}) as modified_at,
    unbase64({{ content }}) as content,
    {{ name }} as feed
        {%- endset -%}
        {%- do files.append(metadata) -%}
    {%- endfor -%}
    {%- set listed %}
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
    feed
from (
    select
        *,
        ticdc_storage_path(path) as told
    from ({{ ticdc.files_in(feed) }}) as files
) as told_files
where told.kind in ('data', 'schema') or (told.kind = 'other' and path rlike '[.](csv|json)$')
    {%- endset -%}
    {%- for each in files + [listed] -%}
        {%- set unnoted %}
select files.*
from ({{ each }}) as files
{% if ticdc.has_rows() -%}
left anti join {{ ticdc.rows_of(this) }} as known
    on files.feed = known.feed and files.path = known.path and files.`offset` <= known.`offset`
{%- endif %}
        {% endset -%}
        {#- a folder that is not there yet holds no file; what else keeps Spark from listing it is an error -#}
        {%- set query = "select path from (" ~ unnoted ~ ") as unnoted limit 1" -%}
        {%- do found.append(unnoted) if ticdc.rows_if_found(query, ["path"]) -%}
    {%- endfor -%}
{%- endfor -%}
{{ ticdc.takes(is_idle=not found) }}
with

found_files as (

    {% for files in found -%}
    select * from ({{ files | indent(4) }}) as files
    {% if not loop.last %}
    union all
    {% endif %}
    {%- else -%}
    select
        '' as path,
        cast(null as bigint) as `offset`,
        '' as location,
        '' as kind,
        '' as table_folder,
        cast(null as bigint) as version,
        cast(null as bigint) as length,
        cast(null as timestamp) as modified_at,
        cast(null as binary) as content,
        '' as feed
    where false
    {%- endfor %}

)

select
    path,
    `offset`,
    location,
    kind,
    table_folder,
    version,
    length,
    modified_at,
    content,
    {{ ticdc.run_id() }} as run_id,
    feed
from found_files
