{% macro choose_histories(tables) %}
    {% set unsure = [] %}
    {% for table in tables if table.history and not table.history.choice %}{% do unsure.append(table) %}{% endfor %}
    {% for some in unsure | batch(50) %}
        {% for place, choice in run_query(ticdc.counted_histories(some)).rows %}{% do some[place | int].history.update({"choice": choice}) %}{% endfor %}
    {% endfor %}
    {% for table in tables if table.history %}{% do table.history.update(table.history.choices[table.history.choice]) %}{% endfor %}
{% endmacro %}
