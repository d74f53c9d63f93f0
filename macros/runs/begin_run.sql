{% macro begin_run() %}
    {% if execute and flags.WHICH == "seed" %}{% do ticdc.check_seeds() %}{% endif %}
    {% if not execute or flags.WHICH not in ["build", "run"] %}{% do return("") %}{% endif %}
    {% set models, unfinished = [], {} %}
    {% for id in selected_resources if id.startswith("model.ticdc.") %}
        {% do models.append(graph.nodes[id].name) %}
        {% do unfinished.update({graph.nodes[id].name: true}) if graph.nodes[id].config.materialized.startswith("ticdc_") %}
    {% endfor %}
    {% if models %}
        {% do ticdc.note_settings() %}
        {% do ticdc.check_run(models) %}
        {% do ticdc.check_redecode() %}
        {% do ticdc.check_locations() %}
        {% for view in ["int_ticdc__publication", "int_ticdc__run"] %}{% do ticdc.check_own(ticdc.relation_of(view), "state") %}{% endfor %}
        {% do ticdc.take_lease() %}
        {% do ticdc.open_state(models) %}
    {% endif %}
    {% do ticdc.memory().update({"is_begun": true, "unfinished": unfinished}) %}
    {% do return("") %}
{% endmacro %}
