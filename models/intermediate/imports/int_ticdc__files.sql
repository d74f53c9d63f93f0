{%- set feeds = ticdc.feeds() | selectattr("reads", "equalto", "files") | list -%}
{{
    config(
        materialized="ticdc_append",
        is_kept=true,
        partition_by=["batch_id", "feed"],
        enabled=feeds | length > 0,
    )
}}
{%- set found = ticdc.found_files(feeds, this if ticdc.has_rows() else none) -%}
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
