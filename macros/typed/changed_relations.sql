{% macro changed_relations(tables, latest) %}
    {% set changed = [] %}
    {% for table in tables %}
        {% for kind, statement in table.statements.items() %}
            {% set before = ticdc.typed_storage(table, latest) if kind == "view" else [] %}
            {% if before or should_full_refresh() or statement != table.known.statements.get(kind) %}
                {% do changed.append({
                    "table": table,
                    "kind": kind,
                    "relation": table.relations[kind],
                    "storage": table.storage if before,
                    "statements": before + [statement],
                }) %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% do return(changed) %}
{% endmacro %}
