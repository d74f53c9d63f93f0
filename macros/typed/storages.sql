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
        {% do table.storing.update({"writing": table.history.statements}) if table.storing %}
    {% endfor %}
    {% do return(answer) %}
{% endmacro %}

{# Notes in the state what storages hold. #}
{% macro note_storages(storages) %}
    {% set models = ticdc.state().models %}
    {% for storage in storages if storage %}{% do models.update({storage.name: storage.state}) %}{% endfor %}
{% endmacro %}
