{% macro observe_values(tables, latest, state) %}
    {# A wire type without its precision is completed by what the values show: digits before and after the point. #}
    {% set bare_types = ["decimal", "decimal unsigned", "bit"] %}
    {% set seen = tables | map(attribute="known") | map(attribute="seen") | map("default", -1, true) | list | min | default(-1) %}
    {% set bare = [] %}
    {% for table in tables %}
        {% do table.update({"observed": dict(table.known.get("observed", {}))}) %}
        {% for column in table.columns if column.type in bare_types %}
            {% do bare.append(
                "(" ~ ticdc.text_literal(table.feed) ~ ", " ~ ticdc.text_literal(table.table_id) ~ ", "
                ~ table.table_incarnation ~ ", " ~ ticdc.text_literal(column.name) ~ ")"
            ) %}
        {% endfor %}
    {% endfor %}
    {% if bare and seen != state.last %}
        {% set measured = {} %}
        {% for row in run_query(ticdc.measured_values(latest, bare, seen)).rows %}
            {% do measured.update({(row[0], row[1], row[2] | int, row[3]): [row[4] | int, row[5] | int]}) %}
        {% endfor %}
        {% for table in tables %}
            {% for column in table.columns if column.type in bare_types %}
                {% set before = table.observed.get(column.name, [0, 0]) %}
                {% set now = measured.get((table.feed, table.table_id, table.table_incarnation, column.name), [0, 0]) %}
                {% do table.observed.update({column.name: [[before[0], now[0]] | max, [before[1], now[1]] | max]}) %}
            {% endfor %}
        {% endfor %}
    {% endif %}
{% endmacro %}
