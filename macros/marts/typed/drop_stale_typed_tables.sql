{% macro drop_stale_typed_tables(tables, known, state) %}
    {% for table in tables if table.known %}
        {% if table.known.storage and table.known.storage != table.storage %}
            {% do run_query("drop table if exists " ~ table.known.storage) %}
        {% elif table.known.stored_generations and table.known.stored_generations[0] < state.base %}
            {% do ticdc.drop_generations(table.storage, state.base) %}
        {% endif %}
    {% endfor %}
    {% set feeds = ticdc.feeds() | map(attribute="name") | list %}
    {% set views = tables | map(attribute="relation") | list + tables | map(attribute="history_relation") | list %}
    {% set functions = tables | map(attribute="as_of_function") | list %}
    {% set storages = tables | map(attribute="storage") | list %}
    {% for name, plan in known.items() if name[0] in feeds %}
        {% for view in [plan.relation, plan.history_relation] if view not in views %}
            {% do run_query("drop view if exists " ~ view) %}
        {% endfor %}
        {% if plan.as_of_function not in functions %}
            {% do run_query("drop function if exists " ~ plan.as_of_function) %}
        {% endif %}
        {% if plan.storage and plan.storage not in storages %}
            {% do run_query("drop table if exists " ~ plan.storage) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
