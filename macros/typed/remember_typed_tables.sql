{% macro remember_typed_tables() %}
    {# where some relations were not made, the next run decides and makes all of them again #}
    {% set typed, plans = ticdc.memory().pop("typed", {"made": []}), ref("int_ticdc__typed_plans") %}
    {% if typed.made | length < 3 %}{% do return("") %}{% endif %}
    {% set answer = typed.answer %}
    {% for table in answer.tables %}
        {% for change in table.changes if change.problem %}{% do ticdc.note_problem(table, change, typed.standing) %}{% endfor %}
    {% endfor %}
    {% do ticdc.note_storages(answer.tables | map(attribute="stored_rows")) %}
    {% do ticdc.note_storages(answer.tables | map(attribute="history")) %}
    {% do ticdc.add_plans(plans, answer.tables + answer.gone) %}
    {% do ticdc.drop_stale_relations(answer, typed.standing) %}
    {% do ticdc.settle(plans, {"made": true}) %}
{% endmacro %}
