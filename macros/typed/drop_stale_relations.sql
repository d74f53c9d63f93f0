{% macro drop_stale_relations(tables, stale, standing) %}
    {% set state, blocks = ticdc.state(), [] %}
    {% set storages = (tables | map(attribute="storage") | list + tables | map(attribute="history_storage") | list) | select | list %}
    {% for each in stale if not each.kind.endswith("storage") and standing.get(ticdc.relation_key(each.kind, each.relation)) %}
        {% set statement = "drop " ~ ("function" if each.kind == "as_of_function" else "view") ~ " if exists " ~ each.relation %}
        {% do blocks.append({"place": loop.index0, "statements": [statement]}) %}
    {% endfor %}
    {% do ticdc.tried_statements(blocks) %}
    {# readers may be in the middle of one that is no more: it goes with the next sweep #}
    {% for each in stale if each.kind.endswith("storage") and each.relation not in storages %}
        {% do state.models.pop(ticdc.storage_name(each.relation), none) %}
    {% endfor %}
    {% do state.update({"storages": storages}) %}
{% endmacro %}
