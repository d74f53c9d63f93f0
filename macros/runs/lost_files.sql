{% macro lost_files(staged, feeds) %}
    {% set queries, rows = [], ticdc.rows_of(staged) %}
    {% do queries.append(
        "select 'feed ' || feed || ': ' || count(distinct topic) || ' file(s), as the feed is not configured' from " ~ rows
        ~ " as staged where feed not in (" ~ ticdc.text_literals(feeds | map(attribute="name")) ~ ") group by feed"
    ) %}
    {% for feed in feeds %}
        {% set files = "(select distinct topic from " ~ rows ~ " as staged where feed = " ~ ticdc.text_literal(feed.name) ~ " and topic <> 'metadata')" %}
        {% set told %}
select
    {{ ticdc.text_literal("feed " ~ feed.name ~ ": ") }} || count(*) || ' file(s) that are there no more, such as ' || min(topic)
from {{ files }} as files
        {% endset %}
        {% do queries.append(
            "begin declare exit handler for PATH_NOT_FOUND " ~ told ~ " having count(*) > 0; " ~ told
            ~ " left anti join (" ~ ticdc.listed_files(feed) ~ ") as listed on topic = path having count(*) > 0; end"
        ) %}
    {% endfor %}
    {% do return(queries) %}
{% endmacro %}
