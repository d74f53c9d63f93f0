{% macro drop_stale_typed_tables(tables, known, state) %}
    {% for table in tables if table.known %}
        {% if table.known.storage and table.known.storage != table.storage %}
            {% do run_query("drop table if exists " ~ table.known.storage) %}
        {% elif table.known.stored_generations and table.known.stored_generations[0] < state.base %}
            {% do ticdc.drop_generations(table.storage, state.base) %}
        {% endif %}
    {% endfor %}
    {% set feeds = ticdc.feeds() | map(attribute="name") | list %}
    {% set relations = tables | map(attribute="relation") | list %}
    {% for name, plan in known.items() if name[0] in feeds and plan.relation not in relations %}
        {% do run_query("drop view if exists " ~ plan.relation) %}
        {% do run_query("drop view if exists " ~ plan.history_relation) %}
        {% do run_query("drop function if exists " ~ plan.as_of_function) %}
        {% if plan.storage and plan.storage not in tables | map(attribute="storage") | list %}
            {% do run_query("drop table if exists " ~ plan.storage) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
