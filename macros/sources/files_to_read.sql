{% macro files_to_read(feeds, ledger, is_first=false) %}
    {% set found = [] %}
    {% if not execute or invocation_args_dict.get("empty") %}{% do return(found) %}{% endif %}
    {% set locations, schemas = {}, {} %}
    {% for row in run_query("select feed, location from (" ~ ledger ~ ") as ledger where kind <> 'metadata'").rows %}
        {% do locations.setdefault(row[0], []).append(row[1]) %}
    {% endfor %}
    {% for row in (run_query(ticdc.schemas_of_files(ledger)).rows if feeds[0].protocol == "storage_csv" and locations else []) %}
        {% do schemas.setdefault(row[0], []).append(row[1]) %}
    {% endfor %}
    {# a folder that is gone holds none of them #}
    {% for feed in feeds if feed.name in locations and run_query(
        "begin declare exit handler for PATH_NOT_FOUND select '' as path where false; select path from "
        ~ ticdc.files_in(feed, "/*/*") ~ " limit 1; end"
    ).rows | length %}
        {% do found.append({
            "feed": feed, "locations": none if is_first else locations[feed.name],
            "schemas": none if is_first else schemas.get(feed.name, []),
        }) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
