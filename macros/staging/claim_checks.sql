{# Gives the claim-check files that rows wait for and that are there: a list with `feed`, as `feeds` gives it, and
   `names`, the base names of its files. Lists the folder of a feed only if one of its rows waits. #}
{% macro claim_check_files() %}
    {% set files = [] %}
    {% set feeds = ticdc.feeds() | selectattr("claim_check") | list %}
    {% set names = {} %}
    {% if feeds %}
        {% set waiting_rows = ticdc.rows_without_content(ticdc.rows_of(this) if ticdc.has_rows() else none) %}
        {% for row in ticdc.rows_if_built(
            ref("int_ticdc__events"), "select distinct feed, claim_check from (" ~ waiting_rows ~ ")"
        ) %}
            {% do names.setdefault(row[0], []).append(row[1]) %}
        {% endfor %}
    {% endif %}
    {% for feed in feeds if feed.name in names %}
        {# A folder that is not there, or that Spark cannot list, holds no file: the rows go on waiting. #}
        {% set found = run_query(
            "begin declare exit handler for sqlexception select '' as file_name where false; "
            ~ "select distinct _metadata.file_name from " ~ ticdc.named_files(feed, names[feed.name]) ~ "; end"
        ) %}
        {% if found.rows %}
            {% do files.append({"feed": feed, "names": found.rows | map(attribute=0) | list}) %}
        {% endif %}
    {% endfor %}
    {% do return(files) %}
{% endmacro %}

{# Gives the `from` and `where` of a query on the claim-check files of a feed that bear certain names. #}
{% macro named_files(feed, names) -%}
    {#- Spark reads only files that a filter on their metadata leaves. -#}
    binaryFile.{{ ticdc.identifier(feed.claim_check) }}
        with ('recursiveFileLookup' = 'true', 'ignoreMissingFiles' = 'true')
    where _metadata.file_name in ({{ ticdc.text_literals(names) }})
{%- endmacro %}

{# Gives the SQL of the staged rows whose claim-check files no run has read yet. #}
{% macro rows_without_content(contents) -%}
    select waiting.*
    from {{ ref("int_ticdc__events") }} as waiting
    {%- if contents %}
    left anti join {{ contents }} as contents
        on
            waiting.feed = contents.feed
            and waiting.topic = contents.topic
            and waiting.`partition` = contents.`partition`
            and waiting.`offset` = contents.`offset`
            and waiting.event_index = contents.event_index
            and contents.kind = 'row'
    {%- endif %}
    where waiting.claim_check is not null
{%- endmacro %}
