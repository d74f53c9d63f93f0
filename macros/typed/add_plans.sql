{% macro add_plans(relation, tables, is_pending=false) %}
    {% set changed = [] %}
    {% for table in tables %}
        {% set row, plan = dict(table.row), table.row.plan %}
        {% if plan %}
            {# a history that cannot be made is told of itself #}
            {% set unstored = table.get("unstored_for", []) if "history_view" not in plan.refused else [] %}
            {# the next run makes what is pending, where this one does not #}
            {% set made = {} if is_pending else plan.statements %}
            {% do row.update({"plan": tojson(dict(plan, problems=plan.problems + unstored, statements=made), sort_keys=true)}) %}
        {% endif %}
        {% do changed.append(ticdc.plan_row(row)) if row != table.known_row %}
    {% endfor %}
    {% set lists = ticdc.short_lists(changed) %}
    {% if load_cached_relation(relation) is none %}
        {% do run_query(ticdc.new_plans(relation, lists.pop(0) if lists else [])) %}
        {% do adapter.cache_added(relation) %}
    {% endif %}
    {% for some in lists %}
        {% do run_query("insert into " ~ relation ~ " select *, " ~ ticdc.run_id() ~ " from values " ~ some | join(", ")) %}
    {% endfor %}
{% endmacro %}
