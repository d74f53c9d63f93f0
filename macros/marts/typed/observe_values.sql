{% macro observe_values(tables, latest, state) %}
    {# A wire type without its precision is completed by what the values show: digits before and after the point. #}
    {% set bare_types = ["decimal", "decimal unsigned", "bit"] %}
    {% set seen = tables | map(attribute="known") | map(attribute="seen", default=-1) | list | min or -1 %}
    {% set bare = [] %}
    {% for table in tables %}
        {% do table.update({"observed": dict(table.known.get("observed", {}))}) %}
        {% for column in table.columns if column.type in bare_types %}
            {% set literals = [] %}
            {% for text in [table.feed, table.schema_name, table.table_name, column.name] %}
                {% do literals.append(ticdc.text_literal(text)) %}
            {% endfor %}
            {% do bare.append("(" ~ literals | join(", ") ~ ")") %}
        {% endfor %}
    {% endfor %}
    {% if bare and seen != state.last %}
        {% set measured = {} %}
        {% for row in run_query(ticdc.measured_values(latest, bare, seen)).rows %}
            {% do measured.update({(row[0], row[1], row[2], row[3]): [row[4] | int, row[5] | int]}) %}
        {% endfor %}
        {% for table in tables %}
            {% for column in table.columns if column.type in bare_types %}
                {% set before = table.observed.get(column.name, [0, 0]) %}
                {% set now = measured.get((table.feed, table.schema_name, table.table_name, column.name), [0, 0]) %}
                {% do table.observed.update({column.name: [[before[0], now[0]] | max, [before[1], now[1]] | max]}) %}
            {% endfor %}
        {% endfor %}
    {% endif %}
{% endmacro %}
