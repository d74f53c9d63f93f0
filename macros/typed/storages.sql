{# The run and its state, as `Run` in `typed/storages.py` has them; with the relation of the plans, only storages that
   stand beside it: one that somebody dropped is made with the relations that read it. #}
{% macro typed_run(standing_in=none) %}
    {% set state, models, storages = ticdc.state(), [], {} %}
    {% for model in ["int_ticdc__changes", "int_ticdc__carried_rows"] %}
        {% set rows = state.models.get(ticdc.relation_name(model), {}) %}
        {% do models.append({"anew": rows.get("anew"), "since": rows.get("since", {})}) %}
    {% endfor %}
    {% set place = standing_in %}
    {% for name, model in state.models.items() | list %}
        {% set is_storage = modules.re.fullmatch("ticdc__(typed|history)_[0-9a-f]{32}", name) %}
        {% if is_storage and (
            not place or adapter.get_relation(database=place.database, schema=place.schema, identifier=name)
        ) %}
            {% do storages.update({name: model}) %}
        {% endif %}
    {% endfor %}
    {% do return({
        "run_id": ticdc.run_id() | int, "rows_of": ticdc.rows_of_histories(state), "models": models,
        "storages": storages, "is_refresh": ticdc.is_refresh(),
    }) %}
{% endmacro %}

{# A hash of the batches in a state that histories are stored of. #}
{% macro rows_of_histories(state) %}
    {% set found = [] %}
    {% for model in ["int_ticdc__changes", "int_ticdc__carried_rows", "int_ticdc__table_states"] %}
        {% set rows = state.models.get(ticdc.relation_name(model), {}) %}
        {% do found.append([rows.get("batches"), rows.get("since")]) %}
    {% endfor %}
    {% do return(local_md5(tojson(found, sort_keys=true))) %}
{% endmacro %}

{# The names of stored histories that lack what a state has. #}
{% macro outdated_storages(state) %}
    {% set outdated, rows_of = [], ticdc.rows_of_histories(state) %}
    {% for name, model in state.models.items() | list if (model.settled or {}).get("rows_of", rows_of) != rows_of %}
        {% do outdated.append(name) %}
    {% endfor %}
    {% do return(outdated) %}
{% endmacro %}

{# Whether there are storages to which this run may have something to add. #}
{% macro storages_lack_rows() %}
    {% if not execute %}{% do return(false) %}{% endif %}
    {% set published = ticdc.rows_of_histories(ticdc.typed_context().published) %}
    {% set has_news = published != ticdc.rows_of_histories(ticdc.state()) %}
    {% do return(has_news and ticdc.relation_of("int_ticdc__typed_plans") and ticdc.typed_run().storages) %}
{% endmacro %}

{# The answer that a query gives in rows: what is of all tables, with the `tables`. What it says of histories is
   completed by the choice that its own queries make, where it has not one alone. #}
{% macro answer_of(query) %}
    {# sorted here, as Spark, to sort, would run the query twice #}
    {% set rows, tables = run_query(query).rows | sort(attribute=0), [] %}
    {% for place, decided in rows if place %}{% do tables.append(fromjson(decided)) %}{% endfor %}
    {% set answer = dict(fromjson(rows[0][1]), tables=tables) %}
    {% for query in answer.counts %}
        {% for place, choice in run_query(query).rows %}
            {% do answer.tables[place | int].history.update({"choice": choice}) %}
        {% endfor %}
    {% endfor %}
    {% for table in answer.tables if table.history %}
        {% do table.history.update(table.history.choices[table.history.choice]) %}
    {% endfor %}
    {% do return(answer) %}
{% endmacro %}

{# Stores what the run adds to histories, or tells of them that they are not; publishes it, as views that read a storage
   have no other rows. #}
{% macro store_histories(target, answer, existing) %}
    {% set changed, state = [], ticdc.state() %}
    {% for table in answer.tables if table.history and table.history.since is not none %}
        {% do changed.append((table, table.storing)) %}
    {% endfor %}
    {% if not changed %}{% do return(none) %}{% endif %}
    {% do ticdc.make_relations(changed, existing) %}
    {% for table, change in changed if change.problem %}
        {# slow, and not wrong #}
        {% do state.models.pop(table.history.name, none) %}
        {% do answer.storages.remove(change.relation) if change.relation in answer.storages %}
        {% do table.update(dict(table.unstored, unstored_for=[change.problem])) %}
    {% endfor %}
    {% do ticdc.note_storages(answer.tables | map(attribute="history")) %}
    {% do ticdc.settle(target, {"made": true}) %}
    {% do ticdc.publish() if answer.is_published %}
{% endmacro %}

{# Notes in the state what storages hold. #}
{% macro note_storages(storages) %}
    {% set models = ticdc.state().models %}
    {% for storage in storages if storage %}{% do models.update({storage.name: storage.state}) %}{% endfor %}
{% endmacro %}

{# The name by which the state knows a storage, quoted as SQL takes it. #}
{% macro storage_name(storage) %}
    {% do return(storage.split(".")[-1].replace("`", "")) %}
{% endmacro %}
