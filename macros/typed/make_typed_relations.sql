{% macro make_typed_relations(kind) %}
    {# one that is built without the plans has nothing decided, and the next run decides it #}
    {% set typed, changed, bases = ticdc.memory().get("typed"), [], [] %}
    {% if not typed %}{% do return(changed) %}{% endif %}
    {% for table in typed.answer.tables %}
        {% for change in table.changes if change.kind == kind %}{% do changed.append((table, change)) %}{% endfor %}
    {% endfor %}
    {#- of relations that are there, readers would miss the bases #}
    {% for table, change in changed if typed.answer.is_first and change.is_other %}
        {% for base in ticdc.bases_of(table, kind) | map("string") if base in ticdc.memory().get("views", {}) and base not in bases %}
            {% do bases.append(base) %}
        {% endfor %}
    {% endfor %}
    {% do ticdc.make_relations(changed, typed.standing, bases) %}
    {% do typed.made.append(kind) %}
    {% do return(changed) %}
{% endmacro %}
