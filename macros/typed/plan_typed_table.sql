{% macro plan_typed_table(table, latest, state) %}
    {% set typed_columns = [] %}
    {% for column in table.columns %}
        {% do typed_columns.append({
            "name": column.name,
            "stored_as": "c" ~ loop.index,
            "type": ticdc.sql_type(column.type, table.observed.get(column.name)),
        }) %}
    {% endfor %}
    {% set fingerprint = local_md5(tojson([table.feed, table.table_id, table.table_incarnation, typed_columns])) %}
    {% set storage = latest.include(identifier=false) ~ ".ticdc__typed_" ~ fingerprint %}
    {% do table.update({
        "typed_columns": typed_columns,
        "is_stored": "view" in table.relations and table.row_count >= var("ticdc__stored_from_rows", 100000) | int,
        "storage": none,
        "stored_generations": [],
        "queries": {},
        "made": {},
        "refused": {},
    }) %}
    {% if table.is_stored %}
        {% do table.update({
            "storage": storage,
            "stored_generations": table.known.stored_generations if table.known.storage == storage else [],
        }) %}
    {% endif %}
    {% if "view" in table.relations %}
        {% do table.queries.update({"view": ticdc.typed_view(table, state)}) %}
    {% endif %}
    {% if "history_view" in table.relations %}
        {% do table.queries.update({"history_view": ticdc.typed_history_view(table)}) %}
    {% endif %}
    {% if "as_of_function" in table.relations %}
        {% do table.queries.update({"as_of_function": ticdc.typed_as_of_function(table)}) %}
    {% endif %}
    {% for kind, query in table.queries.items() %}{% do table.made.update({kind: local_md5(query)}) %}{% endfor %}
{% endmacro %}
