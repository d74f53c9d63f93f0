{% macro settle(relation, settled) %}
    {% set state, memory = ticdc.state(), ticdc.memory() %}
    {% set written = memory.get("written", {}).pop(relation.identifier, none) %}
    {% do state.models.update({relation.identifier: dict(written or ticdc.state_of(relation), settled=settled)}) %}
    {% do ticdc.note_built(relation, has_written=written is not none) %}
    {% set now = tojson(state.models) %}
    {% if memory.get("saved") != now %}
        {# a statement may have taken longer than the lease #}
        {% do ticdc.keep_lease() %}
        {% do ticdc.save_state() %}
        {% do memory.update({"saved": now}) %}
    {% endif %}
{% endmacro %}
