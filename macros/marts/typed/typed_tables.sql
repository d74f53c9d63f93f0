{% macro typed_tables(rows, known, latest, state) %}
    {% set tables = [] %}
    {% for row in rows %}
        {% set feed = ticdc.feeds() | selectattr("name", "equalto", row[0]) | first %}
        {% set schema = feed.target_schema.replace("{schema}", ticdc.legal_name(row[1])).replace("{feed}", feed.name).replace("{target}", target.schema) | lower %}
        {% do tables.append({
            "feed": row[0],
            "schema_name": row[1],
            "table_name": row[2],
            "schema": schema,
            "relation": ticdc.identifier(schema) ~ "." ~ ticdc.identifier(ticdc.legal_name(row[2])),
            "table_id": row[3],
            "table_incarnation": row[4] | int,
            "columns": fromjson(row[5]),
            "generations": fromjson(row[6]),
            "row_count": row[7] | int,
            "versions": row[8],
            "left_behind": fromjson(row[9]),
            "known": known.get((row[0], row[1], row[2]), {}),
        }) %}
    {% endfor %}
    {% set taken = tables | map(attribute="relation") | list %}
    {% for table in tables %}
        {% set name = ticdc.legal_name(table.table_name) ~ "_history" %}
        {% set relation = ticdc.identifier(table.schema) ~ "." ~ ticdc.identifier(name) %}
        {% if relation in taken %}
            {% set relation = ticdc.identifier(table.schema) ~ "." ~ ticdc.identifier(name ~ "_" ~ local_md5(table.table_id)[:6]) %}
        {% endif %}
        {% do table.update({
            "history_relation": relation,
            "as_of_function": ticdc.identifier(table.schema) ~ "." ~ ticdc.identifier(ticdc.legal_name(table.table_name) ~ "_as_of"),
        }) %}
    {% endfor %}
    {% do ticdc.observe_values(tables, latest, state) %}
    {% for table in tables %}
        {% do ticdc.plan_typed_table(table, latest, state) %}
    {% endfor %}
    {% do return(tables) %}
{% endmacro %}
