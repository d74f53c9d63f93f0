{% macro make_typed_relations(kind) %}
    {# one that is built without the plans has nothing decided, and the next run decides it #}
    {% set typed, changed = ticdc.memory().get("typed"), [] %}
    {% if not typed %}{% do return(changed) %}{% endif %}
    {% for table in typed.answer.tables %}
        {% for change in table.changes if change.kind == kind %}{% do changed.append((table, change)) %}{% endfor %}
    {% endfor %}
    {% do ticdc.make_relations(changed, typed.standing) %}
    {% do typed.made.append(kind) %}
    {% do return(changed) %}
{% endmacro %}
