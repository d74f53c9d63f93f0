{% macro storage_and_hashes(table, latest, rendering) %}
    {% set identity = [table.feed, table.table_id, table.table_incarnation, table.columns] %}
    {% set is_stored = "view" in table.relations and table.row_count >= var("ticdc__stored_from_rows", 100000) | int %}
    {% set storage = latest.include(identifier=false) ~ ".ticdc__typed_" ~ local_md5(tojson(identity)) if is_stored else none %}
    {# all that a query is rendered of: to render those of a thousand tables in each run would take seconds #}
    {% set of_past, made = [table.past_columns, table.left_behind, table.is_keyless], {} %}
    {% set of_kinds = {"view": [storage] if is_stored else [], "history_view": of_past, "as_of_function": of_past} %}
    {% for kind in table.relations %}
        {% do made.update({kind: local_md5(tojson([rendering, table.relations[kind], identity, of_kinds[kind]]))}) %}
    {% endfor %}
    {% do return({
        "is_stored": is_stored,
        "storage": storage,
        "stored_generations": table.known.stored_generations if is_stored and table.known.storage == storage else [],
        "made": made,
        "refused": {},
    }) %}
{% endmacro %}
