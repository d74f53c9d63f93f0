{% macro store_histories(target, answer, standing) %}
    {% set changed, state = [], ticdc.state() %}
    {% for table in answer.tables if table.history and table.history.since is not none %}{% do changed.append((table, table.storing)) %}{% endfor %}
    {% if not changed %}{% do return(none) %}{% endif %}
    {% do ticdc.make_relations(changed, standing) %}
    {% for table, change in changed if change.problem %}
        {# slow, and not wrong #}
        {% do state.models.pop(table.history.name, none) %}
        {% do answer.storages.remove(change.relation) if change.relation in answer.storages %}
        {% do table.update(dict(table.unstored, unstored_for=[change.problem])) %}
    {% endfor %}
    {% do ticdc.note_storages(answer.tables | map(attribute="history")) %}
    {% do ticdc.settle(target, {"made": true}) %}
    {# views that read a storage have no other rows: what is stored is published before they are made #}
    {% do ticdc.publish() if ticdc.memory().get("is_published") %}
{% endmacro %}
