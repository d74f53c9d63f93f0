{% macro begin_run() %}
    {% if not execute or flags.WHICH not in ["seed", "build", "run"] %}{% do return("") %}{% endif %}
    {% set nodes, models, unfinished, settings, catalogs, memory = [], [], {}, [], [], ticdc.memory() %}
    {% for id in selected_resources if id.startswith(("model.ticdc.", "seed.ticdc.")) %}
        {% set node = graph.nodes[id] %}
        {% do nodes.append(node) %}
        {% do models.append(node.name) if node.resource_type == "model" %}
        {% do unfinished.update({node.name: true}) if node.config.materialized.startswith("ticdc_") %}
    {% endfor %}
    {% for name, value in (run_query("set").rows if models else []) %}
        {% do memory.update({"timestamp_type": value}) if name == "spark.sql.timestampType" %}
        {% do catalogs.append(name.split(".")[3]) if modules.re.fullmatch("spark[.]sql[.]catalog[.][^.]+", name) %}
        {# those of catalogs may hold secrets #}
        {% if name.startswith("spark.sql.") and not name.startswith("spark.sql.catalog.") %}
            {% do settings.append({"name": name, "value": value | string}) %}
        {% endif %}
    {% endfor %}
    {% do memory.update({"catalogs": catalogs}) %}
    {% do ticdc.check_run(nodes, settings) if nodes %}
    {% if models %}
        {% do ticdc.check_redecode() %}
        {% for view in ["int_ticdc__publication", "int_ticdc__run"] %}
            {% do ticdc.check_own(ticdc.relation_of(view), "state") %}
        {% endfor %}
        {% do memory.update({"lease": ticdc.take_lease()}) %}
        {% do ticdc.open_state(models) %}
    {% endif %}
    {% do memory.update({"is_begun": true, "unfinished": unfinished}) %}
    {% do return("") %}
{% endmacro %}
