{% macro drop_stale_typed_tables(tables, state) %}
    {% for table in tables if table.known %}
        {% if table.known.storage and table.known.storage != table.storage %}
            {% do run_query("drop table if exists " ~ table.known.storage) %}
        {% elif table.known.stored_generations and table.known.stored_generations[0] < state.base %}
            {% do ticdc.drop_generations(table.storage, state.base) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
