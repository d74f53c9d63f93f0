{% macro drop_stale_typed_tables(known, tables, state) %}
    {% set in_use = tables | map(attribute="storage") | list %}
    {% for plan in known.values() if plan.storage and plan.storage not in in_use %}
        {% do run_query("drop table if exists " ~ plan.storage) %}
    {% endfor %}
    {% for table in tables if table.known.get("stored_generations") and table.known.stored_generations[0] < state.base %}
        {% do ticdc.drop_generations(table.storage, state.base) %}
    {% endfor %}
{% endmacro %}
