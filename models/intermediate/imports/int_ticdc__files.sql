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
    {#- the checkpoint first: all that it covers is there when files are listed -#}
    {%- for files in [ticdc.checkpoint_of_files(feed), ticdc.listed_files(feed)] if files -%}
        {%- set unnoted %}
select files.*
from ({{ files }}) as files
{% if ticdc.has_rows() -%}
left anti join {{ ticdc.rows_of(this) }} as known
    on files.feed = known.feed and files.path = known.path and files.`offset` <= known.`offset`
{%- endif %}
        {% endset -%}
        {#- a folder that is not there yet holds no file; what else keeps Spark from listing it fails the run -#}
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
