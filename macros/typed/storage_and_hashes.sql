{% macro storage_and_hashes(table, latest, rendering) %}
    {% set identity = [table.feed, table.table_id, table.table_incarnation, table.columns] %}
    {% set of_past = [table.past_columns, table.left_behind, table.is_keyless] %}
    {% set is_large = table.row_count >= var("ticdc__stored_from_rows", 100000) | int %}
    {% set storages, prefix = {"rows": none, "history": none}, latest.include(identifier=false) ~ ".ticdc__" %}
    {% if is_large and "history_view" in table.relations and not table.is_keyless %}
        {% do storages.update({"history": prefix ~ "history_" ~ local_md5(tojson([identity, of_past]))}) %}
    {% endif %}
    {# where the columns never changed, the rows are the versions that did not end #}
    {% if is_large and "view" in table.relations and (table.past_columns or not storages.history) %}
        {% do storages.update({"rows": prefix ~ "typed_" ~ local_md5(tojson(identity))}) %}
    {% endif %}
    {# all that a query is rendered of: to render those of a thousand tables in each run would take seconds #}
    {% set made, stored = {}, storages.values() | select | list %}
    {% for kind in table.relations %}
        {% set of_kind = ([] if kind == "view" else of_past) + stored %}
        {% do made.update({kind: local_md5(tojson([rendering, table.relations[kind], identity, of_kind]))}) %}
    {% endfor %}
    {% do return({
        "storage": storages.rows,
        "stored_generations": table.known.stored_generations if storages.rows and table.known.storage == storages.rows else [],
        "history_storage": storages.history,
        "history": ticdc.history_to_store(table, storages.history) if storages.history else none,
        "made": made,
        "refused": {},
    }) %}
{% endmacro %}
