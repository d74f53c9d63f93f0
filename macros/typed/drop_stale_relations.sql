{% macro drop_stale_relations(answer, standing) %}
    {% set state, blocks, storages = ticdc.state(), [], answer.storages %}
    {# a view that was refused reads the storage that it read before #}
    {% for table in answer.tables if table.row.plan.storage %}{% do storages.append(table.row.plan.storage) %}{% endfor %}
    {% for each in answer.stale %}
        {% if not each.kind.endswith("storage") %}
            {% set statement = "drop " ~ ("function" if each.kind == "as_of_function" else "view") ~ " if exists " ~ each.relation %}
            {% do blocks.append({"place": 0, "statements": [statement]}) if standing.get(each.key) %}
        {% elif each.relation not in storages %}
            {# readers may be in the middle of one that is no more: it goes with the next sweep #}
            {% do state.models.pop(ticdc.storage_name(each.relation), none) %}
        {% endif %}
    {% endfor %}
    {% do ticdc.tried_statements(blocks) %}
    {% do state.update({"storages": storages | unique | list}) %}
{% endmacro %}
