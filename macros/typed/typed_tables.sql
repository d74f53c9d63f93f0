{% macro typed_tables(rows, known, latest) %}
    {% set tables = [] %}
    {% for row in rows %}
        {% set names = fromjson(row[11]) %}
        {% set relations = {} %}
        {% for kind, name in [("view", names.current), ("history_view", names.history), ("as_of_function", names.as_of)] if name %}
            {% do relations.update({kind: ticdc.identifier(names.schema) ~ "." ~ ticdc.identifier(name)}) %}
        {% endfor %}
        {% do tables.append({
            "feed": row[0],
            "schema_name": row[1],
            "table_name": row[2],
            "relations": relations,
            "problems": names.problems,
            "table_id": row[3],
            "table_incarnation": row[4] | int,
            "columns": fromjson(row[5]),
            "generations": fromjson(row[6]),
            "row_count": row[7] | int,
            "versions": row[8],
            "left_behind": fromjson(row[9]),
            "is_keyless": row[10],
            "known": known.get((row[0], row[1], row[2]), {"relations": {}, "statements": {}}),
        }) %}
    {% endfor %}
    {% do ticdc.observe_values(tables, latest) %}
    {% set rendering, types = ticdc.typed_rendering() if tables, {} %}
    {% for table in tables %}
        {% do ticdc.plan_typed_table(table, latest, rendering, types) %}
    {% endfor %}
    {% do return(tables) %}
{% endmacro %}
