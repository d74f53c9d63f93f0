{% macro observe_values(tables, latest) %}
    {# A wire type without its precision is completed by what the values show: digits before and after the point. #}
    {% set to_measure, bare_types = [], ticdc.bare_types() %}
    {% for table in tables %}
        {% set bare = table.columns | selectattr("type", "in", bare_types) | map(attribute="name") | list %}
        {% set newest = table.generations | last | default(0) if bare else none %}
        {% do table.update({"observed": dict(table.known.get("observed", {})), "seen": newest}) %}
        {% for name in bare %}{% do table.observed.setdefault(name, [0, 0]) %}{% endfor %}
        {% if bare and table.known.get("seen") != newest %}{% do to_measure.append(table) %}{% endif %}
    {% endfor %}
    {% if to_measure %}
        {% set seen = to_measure | map(attribute="known") | map(attribute="seen") | map("default", -1, true) | min %}
        {% set measured = {} %}
        {% for row in run_query(ticdc.measured_values(latest, seen)).rows %}
            {% do measured.update({(row[0], row[1], row[2] | int, row[3]): [row[4] | int, row[5] | int]}) %}
        {% endfor %}
        {% for table in to_measure %}
            {% for name, before in table.observed.items() if (table.feed, table.table_id, table.table_incarnation, name) in measured %}
                {% set now = measured.get((table.feed, table.table_id, table.table_incarnation, name)) %}
                {% do table.observed.update({name: [[before[0], now[0]] | max, [before[1], now[1]] | max]}) %}
            {% endfor %}
        {% endfor %}
    {% endif %}
{% endmacro %}
