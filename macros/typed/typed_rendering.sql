{% macro typed_rendering() %}
    {# a table with a column of each kind, one that went and one whose type changed, so that each part of a query is in it #}
    {% set types = ["bigint", "double", "datetime", "timestamp", "date", "set('a')", "vector(1)", "blob", "decimal(5,1)", "bit", "text"] %}
    {% set columns, typed_columns, older = [], [], [] %}
    {% for type in types %}
        {% do columns.append({"name": "c" ~ loop.index, "type": type}) %}
        {% do typed_columns.append({"name": "c" ~ loop.index, "stored_as": "c" ~ loop.index, "type": ticdc.sql_type(type)}) %}
        {% do older.append({"name": "C" ~ loop.index, "type": types[loop.index0 - 1]}) %}
        {% do older.append({"name": "gone" ~ loop.index, "type": type}) %}
    {% endfor %}
    {% set sample = {
        "feed": "feed",
        "table_id": "id",
        "table_incarnation": 2,
        "columns": columns,
        "typed_columns": typed_columns,
        "generations": [1, 2],
        "versions": tojson([{"from_ts": 1, "table_schema": tojson(older)}, {"from_ts": 2, "table_schema": tojson(columns)}]),
        "left_behind": [{"incarnation": 1, "at_ts": 2}],
        "is_keyless": true,
    } %}
    {% set queries = [ticdc.typed_query(sample, "history_view"), ticdc.typed_query(sample, "as_of_function")] %}
    {% for more in [{"is_stored": false}, {"is_stored": true, "storage": "storage"}] %}
        {% do queries.append(ticdc.typed_query(dict(sample, **more), "view")) %}
    {% endfor %}
    {% do return(local_md5(queries | join)) %}
{% endmacro %}
