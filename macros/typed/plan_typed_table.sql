{% macro plan_typed_table(table, latest, rendering, types) %}
    {% set typed_columns = [] %}
    {% for column in table.columns %}
        {% set wire = (column.type, table.observed.get(column.name) | string) %}
        {% if wire not in types %}{% do types.update({wire: ticdc.sql_type(column.type, table.observed.get(column.name))}) %}{% endif %}
        {% do typed_columns.append({"name": column.name, "stored_as": "c" ~ loop.index, "type": types[wire]}) %}
    {% endfor %}
    {% set identity = [table.feed, table.table_id, table.table_incarnation, typed_columns] %}
    {% set is_stored = "view" in table.relations and table.row_count >= var("ticdc__stored_from_rows", 100000) | int %}
    {% set storage = latest.include(identifier=false) ~ ".ticdc__typed_" ~ local_md5(tojson(identity)) if is_stored else none %}
    {% do table.update({
        "typed_columns": typed_columns,
        "is_stored": is_stored,
        "storage": storage,
        "stored_generations": table.known.stored_generations if is_stored and table.known.storage == storage else [],
        "made": {},
        "refused": {},
    }) %}
    {# all that a query is rendered of: to render those of a thousand tables in each run would take seconds #}
    {% set of_kinds = {
        "view": [storage] if is_stored else [],
        "history_view": [table.versions, table.left_behind, table.is_keyless],
        "as_of_function": [table.versions, table.left_behind, table.is_keyless],
    } %}
    {% for kind in table.relations %}
        {% do table.made.update({kind: local_md5(tojson([rendering, table.relations[kind], identity, of_kinds[kind]]))}) %}
    {% endfor %}
{% endmacro %}
