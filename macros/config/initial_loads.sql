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
    {% for load in var("ticdc__initial_loads", none) or [] %}
        {% do loads.append({
            "feed": load["feed"],
            "schema": load["schema"],
            "table": load["table"],
            "commit_ts": load["commit_ts"],
            "key_columns": tojson(load.get("key_columns") or []),
            "relation": load["relation"],
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
