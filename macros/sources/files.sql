{# Gives what a staging model reads of a protocol whose messages lie in files of storage sinks, as `messages_in_topics`
   does; also `files`, the SQL of those files. #}
{% macro messages_in_files(protocol, staged) %}
    {% set feeds = ticdc.feeds() | selectattr("protocol", "equalto", protocol) | list %}
    {% set ledger, first_run_id = ticdc.rows_of(ref("int_ticdc__files")), ticdc.first_run_id(staged) %}
    {% set redriven, may_be_idle = ticdc.feeds_to_redrive(protocol, staged), execute and staged %}
    {% set new %}
select ledger.*
from {{ ledger }} as ledger
{% if staged -%}
left anti join ({{ ticdc.staged_partitions(protocol, staged, first_run_id) }}) as staged
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
    {% do return({
        "new": ticdc.file_messages(protocol, feeds, new, all_files=not staged),
        "again": ticdc.file_messages(protocol, of_redriven, of_letters) if redriven,
        "files": new ~ "\nunion all\n" ~ of_letters if redriven else new,
        "redriven": redriven,
        "settles": {"run_id": first_run_id},
        "is_idle": may_be_idle and not (redriven or run_query("select 1 from (" ~ new ~ ") limit 1").rows | length),
    }) %}
{% endmacro %}

{# Gives the SQL of the messages of files of storage sinks, in the columns of `messages_in_topics`, and what their
   path and the file tell of their table: `table_folder`, `version` and `header`. A file that is gone has none. #}
{% macro file_messages(protocol, feeds, files, all_files=false) %}
select *
from (
    with

    ledger as (

        {{ files }}

    ),

    -- those that are there
    opened as (

        select /*+ broadcast(ledger) */
            ledger.* except (content),
            contents.content,
            {{ ticdc.by_feed(feeds, "options", "ledger.") | indent(8) }} as options
        from ({{ ticdc.file_contents(feeds, files, all_files) | indent(4) }}
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

    select
        path as topic,
        0 as `partition`,
        `offset` + coalesce(place, 0) as `offset`,
        modified_at as message_at,
        encode(path, 'utf-8') as key,
        value,
        table_folder,
        version,
        lines.header as header,
        feed
    from split
    -- a file without rows is a message, too
    lateral view outer posexplode(if(kind = 'data', lines.rows, array(content))) exploded as place, value

    union all

    select
        path as topic,
        0 as `partition`,
        `offset`,
        modified_at as message_at,
        encode(path, 'utf-8') as key,
        content as value,
        table_folder,
        version,
        null as header,
        feed
    from ledger
    where kind = 'metadata'
) as sent
{% endmacro %}

{# Gives the SQL of the contents of files of storage sinks, of those in a query on `int_ticdc__files` or of all, as far
   as they are there: `feed`, `path` and `content`. #}
{% macro file_contents(feeds, files, all_files=false) %}
    {% set locations, found, is_read = {}, [], execute and not invocation_args_dict.get("empty") %}
    {% set query = "select feed, location from (" ~ files ~ ") as files where kind <> 'metadata'" %}
    {% for row in (run_query(query).rows if is_read and feeds else []) %}
        {% do locations.setdefault(row[0], []).append(row[1]) %}
    {% endfor %}
    {% for feed in feeds if feed.name in locations %}
        {% set there = ticdc.files_in(feed) %}
        {# Spark opens only files that a filter on their metadata leaves #}
        {% set of_these = " where location in (" ~ ticdc.text_literals(locations[feed.name]) ~ ")" %}
        {% set contents = "select feed, path, content from (" ~ there ~ ") as files" %}
        {# a folder that is gone holds none of them #}
        {% if ticdc.rows_if_found("select path from (" ~ there ~ ") as files limit 1", ["path"]) %}
            {% do found.append(contents ~ ("" if all_files else of_these)) %}
        {% endif %}
    {% endfor %}
    {% set none_of_them = "select '' as feed, '' as path, cast(null as binary) as content where false" %}
    {% do return(found | join("\nunion all\n") or none_of_them) %}
{% endmacro %}

{# Gives the SQL of the files of a storage sink that are there, whatever their names begin with; `path` is the one below
   its folder. Spark opens those alone whose `content` is asked for. #}
{% macro files_in(feed, below="/*/*") %}
    {#- Spark passes over names that begin with _ or . below a folder that it lists, and over none of a pattern. -#}
    {%- set pattern = modules.re.sub("([\\[\\]{}*?\\\\])", "\\\\\\1", feed.source.files.rstrip("/")) ~ below -%}
    {%- set scheme = "^[A-Za-z0-9+.-]+:(//[^/]*)?" -%}
    {%- set folder = modules.re.sub("/+", "/", modules.re.sub(scheme, "", feed.source.files)).rstrip("/") %}
select
    substring(regexp_replace(path, '{{ scheme }}', ''), {{ folder | length + 2 }}) as path,
    _metadata.file_path as location,
    length,
    modificationTime as modified_at,
    content,
    {{ ticdc.text_literal(feed.name) }} as feed
from binaryFile.{{ ticdc.identifier(pattern) }}
    with ('recursiveFileLookup' = 'true', 'ignoreMissingFiles' = 'true')
{% endmacro %}

{# Asks a query on files, and gives its rows; none where their folder is not there. #}
{% macro rows_if_found(query, columns) %}
    {% do return(run_query(
        "begin declare exit handler for PATH_NOT_FOUND select '' as " ~ columns | join(", '' as ") ~ " where false; "
        ~ query ~ "; end"
    ).rows) %}
{% endmacro %}
