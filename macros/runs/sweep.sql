{% macro sweep(state) %}
    {# a query that began before a batch was superseded may still read it: what goes was of no use a day ago either #}
    {% set now, last = modules.datetime.datetime.now(modules.pytz.utc).timestamp() | int, state.get("swept", {"at": 0, "batches": {}}) %}
    {% if now < last.at + 24 * 3600 %}{% do return(none) %}{% endif %}
    {% set blocks, kept, places = [], {}, {} %}
    {% for model in ticdc.stored_models() if ticdc.relation_of(model) %}
        {% do places.update({ticdc.relation_name(model): [ticdc.relation_of(model) | string, "batch_id"]}) %}
    {% endfor %}
    {% for storage in state.get("storages", []) %}{% do places.update({ticdc.storage_name(storage): [storage, "generation"]}) %}{% endfor %}
    {% for name, model in state.models.items() | list if name in places and model.batches %}
        {% set relation, column = places[name] %}
        {% do kept.update({name: model.batches | map(attribute=0) | list}) %}
        {% set used = kept[name] + last.batches.get(name, []) %}
        {# one that the last sweep did not know has nothing that is old enough #}
        {% for batch in ticdc.batches_there(relation if name in last.batches, column) if batch < last.at * 1000000 and batch not in used %}
            {% do blocks.append({"place": 0, "statements": [ticdc.drop_statement(relation, column, batch)]}) %}
        {% endfor %}
    {% endfor %}
    {% for storage in last.get("storages", []) if storage not in state.get("storages", []) %}
        {% do blocks.append({"place": 0, "statements": ["drop table if exists " ~ storage]}) %}
    {% endfor %}
    {% set log = ticdc.relation_of("int_ticdc__runs") if last.at %}
    {% for batch in (ticdc.batches_there(log, "batch_id") | sort(reverse=true))[500:] if log %}
        {% do blocks.append({"place": 0, "statements": [ticdc.drop_statement(log, "batch_id", batch)]}) %}
    {% endfor %}
    {% do ticdc.tried_statements(blocks) if blocks %}
    {% do state.update({"swept": {"at": now, "batches": kept, "storages": state.get("storages", [])}}) %}
{% endmacro %}
