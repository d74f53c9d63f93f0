{% macro typed_rendering() %}
    {# a table with a column of each kind, one that went and one whose type changed, so that each part of a query is in it #}
    {% set types = ["bigint", "date", "timestamp", "timestamp_ntz", "array<string>", "array<float>", "binary", "decimal(5,1)", "string"] %}
    {% set columns, past_columns = [], [] %}
    {% for type in types %}
        {% set column = {"name": "c" ~ loop.index, "stored_as": "c" ~ loop.index, "type": type} %}
        {% do columns.append(column) %}
        {% do past_columns.append(dict(
            column, spellings=[column.name, "C" ~ loop.index], recodings=[{"from_ts": 1, "to_ts": 2}, {"from_ts": 3, "to_ts": none}]
        )) %}
    {% endfor %}
    {% set sample = {
        "feed": "feed",
        "table_id": "id",
        "table_incarnation": 2,
        "columns": columns,
        "past_columns": past_columns,
        "generations": [1, 2],
        "left_behind": [{"incarnation": 1, "at_ts": 2}],
        "is_keyless": true,
    } %}
    {% set queries = [ticdc.typed_query(sample, "history_view"), ticdc.typed_query(sample, "as_of_function")] %}
    {% do queries.append(ticdc.typed_query(sample, "view")) %}
    {% do queries.append(ticdc.typed_query(dict(sample, storage="storage"), "view")) %}
    {% do sample.update({"history_storage": "history", "past_columns": none, "left_behind": []}) %}
    {% for kind in ["view", "history_view", "as_of_function"] %}{% do queries.append(ticdc.typed_query(sample, kind)) %}{% endfor %}
    {% do return(local_md5(queries | join)) %}
{% endmacro %}
