{% macro note_problem(table, change, standing) %}
    {% set plan = table.row.plan %}
    {% do plan.problems.append(change.problem) %}
    {% do plan.refused.update({change.kind: plan.statements.pop(change.kind)}) %}
    {% if change.was and standing.get(change.key) %}
        {# what a run made before is there as it was #}
        {% do plan.statements.update({change.kind: change.was.statement}) %}
    {% else %}
        {% do (plan if change.kind == "as_of_function" else table.row).update({change.named_in: none}) %}
    {% endif %}
    {% if change.kind == "view" %}
        {% do plan.update(change.otherwise) %}
        {% do table.update({"stored_rows": none}) %}
    {% endif %}
{% endmacro %}
