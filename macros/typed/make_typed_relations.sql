{% macro make_typed_relations(changed, standing, schemas) %}
    {% if not changed %}{% do return(none) %}{% endif %}
    {% set blocks, new_schemas = [], [] %}
    {% for change in changed %}
        {% set schema = change.relation.replace("`", "").split(".")[0] %}
        {% set not_ours = [] %}
        {% for kind, name in [(change.kind, change.relation), ("storage", change.storage)] if name and standing.get(ticdc.relation_key(kind, name)) is false %}
            {% do not_ours.append(name) %}
        {% endfor %}
        {% if schema in ticdc.memory().catalogs %}
            {% do change.update({"problem": {"reason": "schema_is_catalog", "detail": change.relation}}) %}
        {% elif not_ours %}
            {% do change.update({"problem": {"reason": "not_ours", "detail": not_ours | join(", ")}}) %}
        {% else %}
            {% if schema not in schemas + new_schemas %}
                {% do new_schemas.append(schema) %}
                {% do blocks.append({"place": -1, "statements": ["create schema if not exists " ~ ticdc.identifier(schema)]}) %}
            {% endif %}
            {% do blocks.append({"place": loop.index0, "statements": ticdc.making_statements(change, standing)}) %}
        {% endif %}
    {% endfor %}
    {% for place in ticdc.tried_statements(blocks) if place >= 0 %}
        {% do changed[place].update({"problem": {"reason": "refused", "detail": changed[place].relation}}) %}
    {% endfor %}
    {% for change in changed %}
        {% set table, known = change.table, change.table.known %}
        {% if change.problem %}
            {% do table.problems.append(change.problem) if change.kind != "history_storage" %}
            {% if change.kind in table.made %}{% do table.refused.update({change.kind: table.made.pop(change.kind)}) %}{% endif %}
            {# what a run made before is there as it was #}
            {% if known.relations.get(change.kind) == change.relation and standing.get(ticdc.relation_key(change.kind, change.relation)) %}
                {% do table.made.update({change.kind: known.statements.get(change.kind)}) %}
            {% endif %}
            {% if change.kind == "view" %}
                {% do table.update({"storage": known.get("storage"), "generations": known.get("stored_generations", [])}) %}
            {% elif change.kind == "history_storage" %}
                {# slow, and not wrong #}
                {% do ticdc.leave_unstored(table) %}
                {% do table.update({"unstored": [change.problem]}) %}
            {% endif %}
        {% endif %}
    {% endfor %}
{% endmacro %}
