{% macro settle(relation, settled) %}
    {% set state, memory = ticdc.state(), ticdc.memory() %}
    {% set model = memory.get("written", {}).pop(relation.identifier, none) or ticdc.state_of(relation) %}
    {% do state.models.update({relation.identifier: dict(model, settled=settled)}) %}
    {% set now = tojson(state.models) %}
    {% if memory.get("saved") != now %}
        {# a statement may have taken longer than the lease #}
        {% do ticdc.keep_lease() %}
        {% do ticdc.save_state() %}
        {% do memory.update({"saved": now}) %}
    {% endif %}
{% endmacro %}
