{% macro catalogue_input() %}
    {% set events, inputs = ref("int_ticdc__catalogue_events"), [ref("int_ticdc__exported_rows"), ref("int_ticdc__claim_checks")] %}
    {% for protocol in ticdc.protocols_in_use() %}{% do inputs.append(ref("stg_ticdc__" ~ protocol)) %}{% endfor %}
    {% set columns = var("ticdc__information_schema", none) %}
    {% set state = {} %}
    {% for count, hash in ticdc.asked(
        "select count(*), coalesce(sum(xxhash64(feed, commit_ts, schema_name, table_name, ddl_query, table_schema) % 1000003), 0) from " ~ events,
        inputs
    ) %}
        {% do state.update({"events": count, "hash": hash}) %}
        {% if columns %}
            {% set exported = run_query("select count(*), coalesce(sum(xxhash64(*) % 1000003), 0) from " ~ columns).rows[0] %}
            {% do state.update({"columns": exported[0] | int, "columns_hash": exported[1] | int}) %}
        {% endif %}
    {% endfor %}
    {% do return(state) %}
{% endmacro %}
