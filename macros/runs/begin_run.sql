{% macro begin_run() %}
    {% if execute and flags.WHICH == "seed" %}{% do ticdc.check_seeds() %}{% endif %}
    {% if not execute or flags.WHICH not in ["build", "run"] %}{% do return("") %}{% endif %}
    {% set models = [] %}
    {% for id in selected_resources if id.startswith("model.ticdc.") %}{% do models.append(graph.nodes[id].name) %}{% endfor %}
    {% if models %}
        {% do ticdc.note_settings() %}
        {% do ticdc.check_run(models) %}
        {% do ticdc.check_redecode() %}
        {% do ticdc.check_locations() %}
        {% for view in ["int_ticdc__publication", "int_ticdc__run"] %}{% do ticdc.check_own(ticdc.relation_of(view), "state") %}{% endfor %}
        {% do ticdc.take_lease() %}
        {% do ticdc.open_state(models) %}
    {% endif %}
    {% do return("") %}
{% endmacro %}
