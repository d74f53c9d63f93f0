{% macro begin_run() %}
    {% if not execute or flags.WHICH not in ["seed", "build", "run"] %}{% do return("") %}{% endif %}
    {% if flags.WHICH == "seed" %}
        {% set seeds = ticdc.configured_nodes("seed") %}
        {% do ticdc.check_request({"configured": seeds}) if seeds %}
        {% do ticdc.check_locations() if seeds %}
        {% do return("") %}
    {% endif %}
    {% set models, unfinished, memory = [], {}, ticdc.memory() %}
    {% for id in selected_resources if id.startswith("model.ticdc.") %}
        {% set node = graph.nodes[id] %}
        {% do models.append(node.name) %}
        {% do unfinished.update({node.name: true}) if node.config.materialized.startswith("ticdc_") %}
    {% endfor %}
    {% if models %}
        {% do memory.update(ticdc.session_settings()) %}
        {% do ticdc.check_run(models, memory.settings) %}
        {% do ticdc.check_redecode() %}
        {% do ticdc.check_locations() %}
        {% for view in ["int_ticdc__publication", "int_ticdc__run"] %}
            {% do ticdc.check_own(ticdc.relation_of(view), "state") %}
        {% endfor %}
        {% do memory.update({"lease": ticdc.take_lease()}) %}
        {% do ticdc.open_state(models) %}
    {% endif %}
    {% do memory.update({"is_begun": true, "unfinished": unfinished}) %}
    {% do return("") %}
{% endmacro %}
