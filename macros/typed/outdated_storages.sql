{% macro outdated_storages(state) %}
    {% set outdated, rows_of = [], ticdc.rows_of_histories(state) %}
    {% for name, model in state.models.items() | list if (model.settled or {}).get("rows_of", rows_of) != rows_of %}{% do outdated.append(name) %}{% endfor %}
    {% do return(outdated) %}
{% endmacro %}
