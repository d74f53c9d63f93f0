{% macro changed_relations(tables, latest) %}
    {% set changed = [] %}
    {% for table in tables %}
        {% for kind, hash in table.made.items() %}
            {% set before = ticdc.typed_storage(table, latest) if kind == "view" else [] %}
            {% set is_other = should_full_refresh() or hash != table.known.statements.get(kind) %}
            {% if before or is_other %}
                {% do changed.append({
                    "table": table,
                    "kind": kind,
                    "relation": table.relations[kind],
                    "storage": table.storage if before,
                    "before": before,
                    "query": ticdc.typed_query(table, kind) if is_other,
                }) %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% do return(changed) %}
{% endmacro %}
