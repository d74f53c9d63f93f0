{% macro note_split_tables(changes, settled) %}
    {# states of versions that did not note them tell nothing of older changes #}
    {% if settled.split is none %}{% do return(none) %}{% endif %}
    {% set split = settled.split | list %}
    {# halves of a commit come in one run, but where a row is late, or there is no bound #}
    {% for feed in settled.first_commits if feed not in settled.bounds and [feed, ""] not in split %}{% do split.append([feed, ""]) %}{% endfor %}
    {% set batch = "(select *, xxhash64(feed, table_id, table_incarnation, row_key) as row_hash from " ~ changes ~ " where batch_id = " ~ ticdc.run_id() ~ ")" %}
    {% set pairs = "select commit_ts, row_hash from " ~ batch ~ " group by commit_ts, row_hash having count(*) > 1" %}
    {% for row in run_query(
        "select feed, table_id from " ~ batch ~ " where is_late or op = 'load' union select feed, table_id from " ~ batch ~ " left semi join (" ~ pairs
        ~ ") using (commit_ts, row_hash)"
    ).rows if [row[0], ""] not in split and [row[0], row[1]] not in split %}
        {% do split.append([row[0], row[1]]) %}
    {% endfor %}
    {# readers carry the list: of many tables of a feed it tells the feed #}
    {% set whole, listed = [], [] %}
    {% for feed, tables in split | groupby(0) if tables | length > 200 or [feed, ""] in tables %}{% do whole.append([feed, ""]) %}{% endfor %}
    {% for each in split if [each[0], ""] not in whole %}{% do listed.append(each) %}{% endfor %}
    {% do settled.update({"split": (whole + listed) | sort}) %}
{% endmacro %}
