{% macro store_histories(target, tables, known) %}
    {% set changed, stored = [], [] %}
    {% for table in tables if table.history and table.history.since is not none %}
        {% do changed.append({
            "table": table, "kind": "history_storage", "relation": table.history_storage, "storage": none,
            "before": ticdc.history_statements(table), "query": none,
        }) %}
    {% endfor %}
    {% if changed %}
        {% set schemas = ticdc.schemas_there() %}
        {% do ticdc.make_typed_relations(changed, ticdc.standing_relations(changed, schemas, known), schemas) %}
        {% do ticdc.note_storages(tables) %}
        {% do ticdc.settle(target, {"made": true}) %}
        {# views that read a storage have no other rows: what is stored is published before they are made #}
        {% do ticdc.publish() if ticdc.memory().get("is_published") %}
    {% endif %}
    {% set published = {"models": fromjson(ticdc.memory().published)} %}
    {% for table in tables if table.history_storage %}
        {% set storage = published.models.get(ticdc.storage_name(table.history_storage), {"settled": {}}) %}
        {% if storage.settled.rows_of != ticdc.rows_of_histories(published) %}
            {% do ticdc.leave_unstored(table) %}
        {% elif table.known.get("history_storage") != table.history_storage or not table.known.columns %}
            {% do stored.append(table) %}
        {% endif %}
    {% endfor %}
    {% do return(stored) %}
{% endmacro %}
