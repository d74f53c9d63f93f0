{% macro initial_loads(exported_rows) %}
    {% set feeds = ticdc.feeds() | map(attribute="name") | list %}
    {% set loads = [] %}
    {% for feed, schema, table, commit_ts, key_columns in ticdc.asked(
        "select feed, schema_name, table_name, commit_ts, key_columns from " ~ ticdc.rows_of(exported_rows) ~ " where row is null", [exported_rows]
    ) if feed in feeds %}
        {% do loads.append({
            "feed": feed, "schema": schema, "table": table, "commit_ts": commit_ts | int, "key_columns": key_columns, "is_exported": true,
        }) %}
    {% endfor %}
    {% set given = var("ticdc__initial_loads", none) %}
    {# `check_configuration` tells of others, where a run begins #}
    {% for load in (given if ticdc.is_list(given) else []) if load is mapping and load.get("commit_ts") is integer %}
        {% do loads.append({
            "feed": load.get("feed"),
            "schema": load.get("schema"),
            "table": load.get("table"),
            "commit_ts": load["commit_ts"],
            "key_columns": tojson(load.get("key_columns") or []),
            "relation": load.get("relation"),
            "is_exported": false,
        }) %}
    {% endfor %}
    {% set by_id = {} %}
    {% for load in loads %}
        {% set id = tojson([load.feed, load.schema, load.table, load.commit_ts]) %}
        {% do by_id.setdefault(id, dict(load, id=id)) %}
    {% endfor %}
    {% do return(by_id.values() | sort(attribute="id", case_sensitive=true)) %}
{% endmacro %}
