{% macro asked(query, tables) %}
    {% if not execute %}{% do return([]) %}{% endif %}
    {% set batches = [] %}
    {% for table in tables %}
        {# `dbt compile` and `dbt docs generate` ask before the first build too; in a unit test a table is a query without schema #}
        {% if "nodes" not in graph or load_cached_relation(table) is none %}{% do return([]) %}{% endif %}
        {% do batches.append([table.identifier, ticdc.batches(table)]) %}
    {% endfor %}
    {% set key, known = local_md5(query ~ tojson(batches) ~ ticdc.views_key()), ticdc.memory().setdefault("answers", {}) %}
    {% if key not in known %}
        {% set rows = ticdc.state().get("answers", {}).get(key) %}
        {% if rows is none %}
            {% set rows = [] %}
            {% for row in run_query(query).rows %}
                {% set values = [] %}
                {% for value in row %}{% do values.append(value | int if value is number and value is not boolean else value) %}{% endfor %}
                {% do rows.append(values) %}
            {% endfor %}
        {% endif %}
        {% do known.update({key: rows}) %}
    {% endif %}
    {% do return(known[key]) %}
{% endmacro %}
