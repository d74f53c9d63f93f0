{# Asks what there is to read for the messages of files: a mapping for each feed whose folder is there, with `feed`,
   `locations`, those of its files, and `schemas`, those of the schema files of their tables; both none where all are
   read. #}
{% macro files_to_read(feeds, ledger, is_first=false) %}
    {% set found = [] %}
    {% if not execute or invocation_args_dict.get("empty") %}{% do return(found) %}{% endif %}
    {% set locations, schemas = {}, {} %}
    {% for row in run_query("select feed, location from (" ~ ledger ~ ") as ledger where kind <> 'metadata'").rows %}
        {% do locations.setdefault(row[0], []).append(row[1]) %}
    {% endfor %}
    {% if feeds[0].protocol == "storage_csv" and locations %}
        {% for row in run_query(ticdc.schemas_of_files(ledger)).rows %}
            {% do schemas.setdefault(row[0], []).append(row[1]) %}
        {% endfor %}
    {% endif %}
    {# a folder that is gone holds none of them #}
    {% for feed in feeds if feed.name in locations
        and ticdc.rows_if_found("select path from " ~ ticdc.files_in(feed, "/*/*") ~ " limit 1", ["path"]) %}
        {% do found.append({
            "feed": feed, "locations": none if is_first else locations[feed.name],
            "schemas": none if is_first else schemas.get(feed.name, []),
        }) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}

{# Gives the SQL of `feed` and `location` of the schema files of the tables of data files. #}
{% macro schemas_of_files(ledger) %}
select
    schemas.feed,
    schemas.location
from {{ ticdc.rows_of(ref("int_ticdc__files")) }} as schemas
left semi join ({{ ledger }}) as files
    on schemas.feed = files.feed and schemas.table_folder = files.table_folder and files.kind = 'data'
where schemas.kind = 'schema'
{% endmacro %}

{# Gives the SQL of files of storage sinks, `path`, `content` and `feed`, of which Spark opens no others. #}
{% macro file_contents(read, member) -%}
    {%- for each in read if each[member] is none or each[member] %}
    select
        {{ ticdc.path_in_files(each.feed) }} as path,
        content,
        {{ ticdc.text_literal(each.feed.name) }} as feed
    from {{ ticdc.files_in(each.feed, "/*/*") }}
    -- Spark opens only files that a filter on their metadata leaves
    where
        {% if each[member] is none -%}
        _metadata.file_name like {{ "'schema%'" if member == "schemas" else "'%'" }}
        {%- else -%}
        _metadata.file_path in ({{ ticdc.text_literals(each[member]) }})
        {%- endif %}
    {{ "union all" if not loop.last }}
    {%- else %}
    select
        '' as path,
        cast(null as binary) as content,
        '' as feed
    where false
    {%- endfor %}
{%- endmacro %}

{# Gives CTEs for the files in the CTE `ledger` that are there, the last of which, `split`, has the `content` of each
   and its `lines`, header and rows. #}
{% macro opened_files(feeds, read) -%}
    opened as (

        select /*+ broadcast(ledger) */
            ledger.* except (content),
            contents.content,
            {{ ticdc.by_feed(feeds, "options", "ledger.") | indent(8) }} as options
        from ({{ ticdc.file_contents(read, "locations") | indent(4) }}
        ) as contents
        inner join ledger on contents.feed = ledger.feed and contents.path = ledger.path

    ),

    split as (

        select
            *,
            ticdc_storage_rows(
                if(kind = 'data', content, null), {{ ticdc.text_literal(feeds[0].protocol) }}, options
            ) as lines
        from opened

    )
{%- endmacro %}

{# Gives a CTE of this name with the text of schema files, by `feed`, `table_folder`, `version` and `path`. #}
{% macro schema_files(read) -%}
    schema_files as (

        select
            known.feed,
            known.path,
            known.table_folder,
            known.version,
            cast(contents.content as string) as text
        from ({{ ticdc.file_contents(read, "schemas") | indent(4) }}
        ) as contents
        inner join {{ ticdc.rows_of(ref("int_ticdc__files")) }} as known
            on contents.feed = known.feed and contents.path = known.path and known.kind = 'schema'

    )
{%- endmacro %}

{# Gives CTEs, each with a comma after it; the last, `packed_schemas`, has for each `feed`, `table_folder` and
   `version` of a data file in the CTE `ledger` the schema files of the folder up to that version, packed for the
   decoder (`table_schema`). #}
{% macro packed_schemas(read) -%}
{{ ticdc.schema_files(read) }},

    versions as (

        select distinct
            feed,
            table_folder,
            version
        from ledger
        where kind = 'data'

    ),

    schemas_up_to as (

        select
            versions.feed,
            versions.table_folder,
            versions.version,
            -- of those before it the statements alone count
            array_sort(collect_list(struct(schema_files.version, schema_files.path, if(
                schema_files.version = versions.version,
                schema_files.text,
                to_json(struct(
                    coalesce(get_json_object(schema_files.text, '$.Schema'), '') as `Schema`,
                    coalesce(get_json_object(schema_files.text, '$.Table'), '') as `Table`,
                    schema_files.version as `TableVersion`,
                    coalesce(get_json_object(schema_files.text, '$.Query'), '') as `Query`,
                    0 as `Type`,
                    cast(array() as array<string>) as `TableColumns`
                ))
            ) as text))) as files
        from versions
        inner join schema_files
            on
                versions.feed = schema_files.feed
                and versions.table_folder = schema_files.table_folder
                and schema_files.version <= versions.version
        group by versions.feed, versions.table_folder, versions.version

    ),

    -- packed, as the text goes to the decoder with every row
    packed_schemas as (

        select
            * except (files),
            ticdc_pack_schema('[' || array_join(transform(files, file -> file.text), ',') || ']') as table_schema
        from schemas_up_to

    ),

{% endmacro %}

{# Gives the SQL of the messages of files of storage sinks, in the columns of `new_messages`; of CSV also
   `table_schema`, the packed schema files of the table, and `header`. A file that is gone has none. #}
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
    lateral view outer
        posexplode(if(split.kind = 'data', split.lines.rows, array(split.content))) exploded as place, value

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
