{% macro drop_stale_relations(tables, stale, standing, state) %}
    {% for table in tables if table.is_stored and "view" not in table.refused and table.known.storage == table.storage %}
        {% if table.known.stored_generations and table.known.stored_generations[0] < state.base %}
            {% do ticdc.drop_generations(table.storage, state.base) %}
        {% endif %}
    {% endfor %}
    {% set storages = tables | map(attribute="storage") | list %}
    {% set objects = {"as_of_function": "function", "storage": "table"} %}
    {% set blocks = [] %}
    {% for each in stale if each.relation not in storages and standing.get(ticdc.relation_key(each.kind, each.relation)) %}
        {% set statement = "drop " ~ objects.get(each.kind, "view") ~ " if exists " ~ each.relation %}
        {% do blocks.append({"place": loop.index0, "statements": [statement]}) %}
    {% endfor %}
    {% do ticdc.tried_statements(blocks) %}
{% endmacro %}
