{% macro supersede(state, relation, batches, column="batch_id") %}
    {% set now = modules.datetime.datetime.now(modules.pytz.utc).timestamp() | int %}
    {% for batch in batches %}{% do state.superseded.append([relation | string, column, batch, now]) %}{% endfor %}
{% endmacro %}
