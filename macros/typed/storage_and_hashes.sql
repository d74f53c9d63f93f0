{% macro storage_and_hashes(table, latest, rendering) %}
    {% set identity = [table.feed, table.table_id, table.table_incarnation, table.columns] %}
    {% set of_past = [table.past_columns, table.left_behind, table.is_keyless] %}
    {% set is_large = table.row_count >= var("ticdc__stored_from_rows", 100000) | int %}
    {% set storages = {"view": none, "history_view": none} %}
    {% set wanted = {"view": ["typed", identity], "history_view": ["history", [identity, of_past]] if not table.is_keyless} %}
    {% for kind, of in wanted.items() if of and is_large and kind in table.relations %}
        {% do storages.update({kind: latest.include(identifier=false) ~ ".ticdc__" ~ of[0] ~ "_" ~ local_md5(tojson(of[1]))}) %}
    {% endfor %}
    {# all that a query is rendered of: to render those of a thousand tables in each run would take seconds #}
    {% set of_kinds = {"view": [storages.view] if storages.view else [], "history_view": of_past, "as_of_function": of_past} %}
    {% set made = {} %}
    {% for kind in table.relations %}
        {% set of_kind = of_kinds[kind] + ([storages.history_view] if storages.history_view and kind != "view" else []) %}
        {% do made.update({kind: local_md5(tojson([rendering, table.relations[kind], identity, of_kind]))}) %}
    {% endfor %}
    {% do return({
        "storage": storages.view,
        "stored_generations": table.known.stored_generations if storages.view and table.known.storage == storages.view else [],
        "history_storage": storages.history_view,
        "history": ticdc.history_to_store(table, storages.history_view) if storages.history_view else none,
        "made": made,
        "refused": {},
    }) %}
{% endmacro %}
