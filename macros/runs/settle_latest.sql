{% macro settle_latest() %}
    {% if execute %}
        {% set state = fromjson(ticdc.text_to_settle()) %}
        {% if not state %}
            {% set before = ticdc.settled() %}
            {% set row_changes = ticdc.row_changes(ref("int_ticdc__carried_rows")) %}
            {% set generations = run_query("select max(base_generation), max(generation) from " ~ this).rows[0] %}
            {% do state.update({
                "run_id": run_query("select coalesce(max(run_id), 0) from (" ~ row_changes ~ ")").rows[0][0] | int,
                "base": generations[0],
                "last": generations[1],
                "redriven": ticdc.settled(ref("int_ticdc__changes")).get("redriven", {}),
            }) %}
            {% if before.get("base") and before.base != state.base %}
                {% do ticdc.drop_generations(this, before.base) %}
            {% endif %}
        {% endif %}
        {% do ticdc.settle(state) %}
    {% endif %}
{% endmacro %}
