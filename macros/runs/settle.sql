{% macro settle(relation, settled) %}
    {% set model, state = ticdc.state_of(relation), ticdc.state() %}
    {% do model.update({"settled": settled}) %}
    {% set now = tojson(state.models) %}
    {% if ticdc.memory().get("saved") != now %}
        {% do ticdc.save_state() %}
        {% do ticdc.memory().update({"saved": now}) %}
    {% endif %}
{% endmacro %}
