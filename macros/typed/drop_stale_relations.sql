{% macro drop_stale_relations(tables, stale, standing, state) %}
    {% for table in tables if table.is_stored and "view" not in table.refused and table.known.storage == table.storage %}
        {% set old = table.known.stored_generations | reject("in", table.generations) | list %}
        {% do ticdc.supersede(ticdc.state(), table.storage, old, column="generation") %}
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
