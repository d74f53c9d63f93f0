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
    {% set stored_generations = table.known.get("stored_generations", []) if table.known.get("storage") == storage else [] %}
    {% do table.update({
        "typed_columns": typed_columns,
        "is_stored": table.row_count >= var("ticdc__stored_from_rows", 100000) | int,
        "storage": storage,
        "stored_generations": stored_generations,
    }) %}
    {% if not table.is_stored %}
        {% do table.update({"storage": none, "stored_generations": []}) %}
    {% endif %}
    {% do table.update({
        "statements": {
            "view": ticdc.typed_view(table, state),
            "history_view": ticdc.typed_history_view(table),
            "as_of_function": ticdc.typed_as_of_function(table),
        },
    }) %}
    {% do table.update({
        "is_known": table.known.get("statements") == table.statements
            and table.known.get("observed") == table.observed
            and table.known.get("seen") == state.last
            and (not table.is_stored or stored_generations == table.generations),
    }) %}
{% endmacro %}
