{# Gives what a staging model reads of a protocol whose messages lie in files of storage sinks, as `messages_in_topics`
   does. #}
{% macro messages_in_files(protocol) %}
    {% set feeds = ticdc.feeds() | selectattr("protocol", "equalto", protocol) | list %}
    {% set staged, ledger = this if ticdc.has_rows() else none, ticdc.rows_of(ref("int_ticdc__files")) %}
    {% set redriven, first_run_id = ticdc.feeds_to_redrive(protocol, staged), ticdc.first_run_id(staged) %}
    {% set new %}
select ledger.*
from {{ ledger }} as ledger
{% if staged -%}
left anti join ({{ ticdc.staged_offset_ranges(protocol, staged, first_run_id) }}) as staged
    on
        ledger.feed = staged.feed
        and ledger.path = staged.topic
        and ledger.`offset` between staged.first_offset and staged.last_offset
{% endif -%}
where ledger.kind <> 'other' and ledger.feed in ({{ ticdc.text_literals(feeds | map(attribute="name")) }})
    {% endset %}
    {% set of_letters %}
select ledger.*
from {{ ledger }} as ledger
left semi join ({{ ticdc.dead_letters(ticdc.rows_of(this)) }}) as letters
    on ledger.feed = letters.feed and ledger.path = letters.topic
where ledger.feed in ({{ ticdc.text_literals(redriven) }})
    {% endset %}
    {% set of_redriven = feeds | selectattr("name", "in", redriven) | list %}
    {% set may_be_idle = execute and staged and not redriven %}
    {% do return({
        "new": ticdc.file_messages(protocol, feeds, new, is_first=not staged),
        "again": ticdc.file_messages(protocol, of_redriven, of_letters) if redriven,
        "redriven": redriven,
        "settles": {"run_id": first_run_id},
        "is_idle": may_be_idle and not run_query("select 1 from (" ~ new ~ ") limit 1").rows | length,
    }) %}
{% endmacro %}

{# Asks what there is to read for the messages of files: a mapping for each feed whose folder is there, with `feed`,
   `locations`, those of its files, and `schemas`, those of the schema files of their tables; both none where all files
   are read. #}
{% macro files_to_read(protocol, feeds, ledger, is_first=false) %}
    {% set found = [] %}
    {% if not execute or invocation_args_dict.get("empty") %}{% do return(found) %}{% endif %}
    {% set locations, schemas = {}, {} %}
    {% for row in run_query("select feed, location from (" ~ ledger ~ ") as ledger where kind <> 'metadata'").rows %}
        {% do locations.setdefault(row[0], []).append(row[1]) %}
    {% endfor %}
    {% if protocol == "storage_csv" and locations %}
        {% for row in run_query(
            "select schemas.feed, schemas.location from " ~ ticdc.rows_of(ref("int_ticdc__files")) ~ " as schemas"
            ~ " left semi join (" ~ ledger ~ ") as files on schemas.feed = files.feed and schemas.table_folder"
            ~ " = files.table_folder and files.kind = 'data' where schemas.kind = 'schema'"
        ).rows %}
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

{# Gives the SQL of the messages of files of storage sinks, in the columns of `no_messages`; of CSV also
   `table_schema`, the packed schema files of the table, and `header`. A file that is gone has none. #}
{% macro file_messages(protocol, feeds, files, is_first=false) %}
{%- set read = ticdc.files_to_read(protocol, feeds, files, is_first) -%}
{%- set has_schemas = protocol == "storage_csv" %}
select *
from (
    with

    ledger as (

        {{ files }}

    ),

    {% if has_schemas -%}
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

    ),

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

    -- the schema files up to the version of a data file, packed, as the text goes to the decoder with every row
    packed_schemas as (

        select
            * except (files),
            ticdc_pack_schema('[' || array_join(transform(files, file -> file.text), ',') || ']') as table_schema
        from schemas_up_to

    ),

    {% endif -%}
    -- those that are there
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
                if(kind = 'data', content, null), {{ ticdc.text_literal(protocol) }}, options
            ) as lines
        from opened

    )

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
