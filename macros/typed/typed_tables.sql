{% macro typed_tables(rows, known, latest) %}
    {% set tables, rendering = [], ticdc.typed_rendering() if rows else none %}
    {% for row in rows %}
        {% set plan = fromjson(row[12]) %}
        {% set relations = {} %}
        {% for kind, name in [("view", plan.current), ("history_view", plan.history), ("as_of_function", plan.as_of)] if name %}
            {% do relations.update({kind: ticdc.identifier(plan.schema) ~ "." ~ ticdc.identifier(name)}) %}
        {% endfor %}
        {% set table = {
            "feed": row[0],
            "schema_name": row[1],
            "table_name": row[2],
            "table_id": row[3],
            "table_incarnation": row[4] | int,
            "generations": fromjson(row[5]),
            "row_count": row[7] | int,
            "left_behind": fromjson(row[8]),
            "is_keyless": row[9],
            "lives": row[10],
            "last_generation": row[11] | int,
            "relations": relations,
            "problems": plan.problems,
            "key_columns": plan.key_columns,
            "columns": plan.columns,
            "past_columns": plan.past_columns,
            "observed": plan.observed,
            "seen": row[6] | int if plan.observed else none,
            "known": known.get((row[0], row[1], row[2]), {"relations": {}, "statements": {}}),
        } %}
        {% do table.update(ticdc.storage_and_hashes(table, latest, rendering)) %}
        {% do tables.append(table) %}
    {% endfor %}
    {% do return(tables) %}
{% endmacro %}
