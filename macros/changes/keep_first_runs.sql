{% macro keep_first_runs() %}
    {% set feeds = ticdc.feeds_built_again(ticdc.settled(), fromjson(ticdc.text_to_settle())) if execute else [] %}
    {% if feeds %}
        {# one that is there is of a run that ended between: it knows more #}
        {% do run_query(
            "create table if not exists " ~ ticdc.changes_before() ~ " using parquet as select feed, commit_ts, row_key, "
            ~ ticdc.change_identity() ~ " as identity, min(first_run_id) as first_run_id from " ~ this
            ~ " where feed in (" ~ ticdc.text_literals(feeds) ~ ") group by all"
        ) %}
    {% endif %}
{% endmacro %}
