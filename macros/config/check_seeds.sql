{% macro check_seeds(models) %}
    {% set missing = [] %}
    {% for model in models %}
        {% for id in graph.nodes["model.ticdc." ~ model].depends_on.nodes if id.startswith("seed.ticdc.") and id not in selected_resources %}
            {% set seed = graph.nodes[id] %}
            {% if not adapter.get_relation(database=seed.database, schema=seed.schema, identifier=seed.alias) %}
                {% do missing.append(seed.name) %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% if missing %}
        {% do exceptions.raise_compiler_error(
            "ticdc: the models read seeds that are not there: " ~ missing | unique | sort | join(", ") ~ ". Run dbt seed once, or dbt build, which does both"
        ) %}
    {% endif %}
{% endmacro %}
