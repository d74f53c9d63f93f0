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
        {% set settings, catalogs = [], [] %}
        {% for name, value in run_query("set").rows %}
            {% do memory.update({"timestamp_type": value}) if name == "spark.sql.timestampType" %}
            {% set is_catalog = modules.re.fullmatch("spark[.]sql[.]catalog[.][^.]+", name) %}
            {% do catalogs.append(name.split(".")[-1]) if is_catalog %}
            {# those of catalogs may hold secrets #}
            {% if name.startswith("spark.sql.") and not name.startswith("spark.sql.catalog.") %}
                {% do settings.append({"name": name, "value": value | string}) %}
            {% endif %}
        {% endfor %}
        {% do memory.update({"catalogs": catalogs}) %}
        {% do ticdc.check_run(models, settings) %}
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
