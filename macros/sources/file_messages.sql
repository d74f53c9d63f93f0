{% macro file_messages(feeds, files, is_first=false) %}
{%- set protocol, read = feeds[0].protocol, ticdc.files_to_read(feeds, files, is_first) -%}
{%- set has_schemas = protocol == "storage_csv" %}
select *
from (
    with

    ledger as (

        {{ files }}

    ),

    {% if has_schemas %}{{ ticdc.packed_schemas(read) }}{% endif -%}
{{ ticdc.opened_files(feeds, read) }}

    select{% if has_schemas %} /*+ broadcast(packed_schemas) */{% endif %}
        split.path as topic,
        0 as `partition`,
        split.`offset` + coalesce(place, 0) as `offset`,
        split.modified_at as message_at,
        encode(split.path, 'utf-8') as key,
        value,
        {% if has_schemas -%}
        packed_schemas.table_schema,
        split.lines.header as header,
        {% endif -%}
        split.feed
    from split
    {% if has_schemas -%}
    left join packed_schemas
        on
            split.feed = packed_schemas.feed
            and split.table_folder = packed_schemas.table_folder
            and split.version = packed_schemas.version
    {% endif -%}
    -- a file without rows is a message, too
    lateral view outer posexplode(if(split.kind = 'data', split.lines.rows, array(split.content))) exploded as place, value

    union all

    select
        path as topic,
        0 as `partition`,
        `offset`,
        modified_at as message_at,
        encode(path, 'utf-8') as key,
        content as value,
        {% if has_schemas -%}
        null as table_schema,
        null as header,
        {% endif -%}
        feed
    from ledger
    where kind = 'metadata'
) as sent
{% endmacro %}
