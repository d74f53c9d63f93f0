{% macro make_relations(changed, standing, schemas) %}
    {% set blocks, new_schemas = [], [] %}
    {% for table, change in changed %}
        {% set not_ours = [] %}
        {% for key, name in change.names.items() if standing.get(key) is false %}{% do not_ours.append(name) %}{% endfor %}
        {% if not_ours and not change.problem %}{% do change.update({"problem": {"reason": "not_ours", "detail": not_ours | join(", ")}}) %}{% endif %}
        {% if not change.problem %}
            {% if change.schema not in schemas + new_schemas %}
                {% do new_schemas.append(change.schema) %}
                {% do blocks.append({"place": -1, "statements": ["create schema if not exists " ~ ticdc.identifier(change.schema)]}) %}
            {% endif %}
            {% do blocks.append({"place": loop.index0, "statements": ticdc.making_statements(table, change, standing)}) %}
        {% endif %}
    {% endfor %}
    {% for place in ticdc.tried_statements(blocks) if place >= 0 %}
        {% do changed[place][1].update({"problem": {"reason": "refused", "detail": changed[place][1].relation}}) %}
    {% endfor %}
{% endmacro %}
