{% macro catalogue_input() %}
    {% set events = ref("int_ticdc__catalogue_events") %}
    {% set columns = var("ticdc__information_schema", none) %}
    {% set state = {} %}
    {% for count, hash in ticdc.asked(
        "select count(*), coalesce(sum(xxhash64(feed, commit_ts, schema_name, table_name, ddl_query, table_schema) % 1000003), 0) from " ~ ticdc.rows_of(events) ~ " as events",
        [events]
    ) %}
        {% do state.update({"events": count, "hash": hash}) %}
        {% if columns %}
            {% set exported = run_query("select count(*), coalesce(sum(xxhash64(*) % 1000003), 0) from " ~ columns).rows[0] %}
            {% do state.update({"columns": exported[0] | int, "columns_hash": exported[1] | int}) %}
        {% endif %}
    {% endfor %}
    {% do return(state) %}
{% endmacro %}
