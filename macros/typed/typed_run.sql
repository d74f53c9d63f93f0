{% macro typed_run(standing_in=none) %}
    {% set state, models, storages = ticdc.state(), [], {} %}
    {% for model in ["int_ticdc__changes", "int_ticdc__carried_rows"] %}
        {% set rows = state.models.get(ticdc.relation_name(model), {}) %}
        {% do models.append({"anew": rows.get("anew"), "since": rows.get("since", {})}) %}
    {% endfor %}
    {% for name, model in state.models.items() | list if modules.re.fullmatch("ticdc__(typed|history)_[0-9a-f]{32}", name) %}
        {# one that somebody dropped is made with the relations that read it #}
        {% set stands = not standing_in or adapter.get_relation(database=standing_in.database, schema=standing_in.schema, identifier=name) %}
        {% do storages.update({name: model}) if stands %}
    {% endfor %}
    {% do return({
        "run_id": ticdc.run_id() | int, "rows_of": ticdc.rows_of_histories(state), "models": models, "storages": storages,
        "is_refresh": ticdc.is_refresh(),
    }) %}
{% endmacro %}
