{% macro disordered_feeds(settled, progress) %}
    {# Watermarks hold rows back until every DDL before them is there. Feeds without any have what came to go by. #}
    {% set events = ref("int_ticdc__events") %}
    {% set newest = dict(settled.get("newest", {})) %}
    {% set unbounded = [] %}
    {% for feed in ticdc.feeds_whose_protocol("sends_ddl", true) if feed.name not in progress.bounds %}
        {% do unbounded.append(feed.name) %}
    {% endfor %}
    {% set suspects = [] %}
    {% for row in (run_query(
        "select feed, min(first_row_ts), max(last_row_ts), min(first_ddl_ts), max(last_ddl_ts) from "
        ~ ticdc.rows_of(ref("int_ticdc__staged_runs")) ~ " where run_id > " ~ settled.run_id
        ~ " and feed in (" ~ ticdc.text_literals(unbounded) ~ ") group by feed"
    ).rows if unbounded else []) %}
        {% set last_row, last_ddl = newest.get(row[0], [0, 0]) %}
        {% if (row[1] or last_ddl + 1) <= last_ddl or (row[3] or last_row + 1) <= last_row %}
            {% do suspects.append(
                "(feed = " ~ ticdc.text_literal(row[0]) ~ " and commit_ts <= if(kind = 'ddl', " ~ last_row ~ ", " ~ last_ddl ~ "))"
            ) %}
        {% endif %}
        {% do newest.update({row[0]: [[last_row, row[2] or 0] | max | int, [last_ddl, row[4] or 0] | max | int]}) %}
    {% endfor %}
    {% if newest %}{% do progress.update({"newest": newest}) %}{% endif %}
    {% set found = [] %}
    {% for row in (run_query(
        "select distinct feed from (select feed, min(run_id) as first_run_id from " ~ events
        ~ " where kind in ('row', 'ddl') and (" ~ suspects | join(" or ") ~ ") group by "
        ~ "feed, kind, commit_ts, schema_name, table_name, ddl_query, op, row_key, before_key, xxhash64(before, after)"
        ~ ") where first_run_id > " ~ settled.run_id
    ).rows if suspects else []) %}
        {% do found.append(row[0]) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
