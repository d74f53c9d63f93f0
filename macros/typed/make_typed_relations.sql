{% macro make_typed_relations(kind) %}
    {# one that is built without the plans has nothing decided, and the next run decides it #}
    {% set typed, changed, bases = ticdc.memory().get("typed"), [], [] %}
    {% if not typed %}{% do return(changed) %}{% endif %}
    {% for table in typed.answer.tables %}
        {% for change in table.changes if change.kind == kind %}{% do changed.append((table, change)) %}{% endfor %}
    {% endfor %}
    {#- to make few is no dearer than to alter the bases, and where a relation was there, readers would miss them #}
    {% for table, change in changed if typed.answer.is_first and changed[20:] and change.is_other %}
        {% set base = ticdc.base_of(table, kind) | string %}
        {% do bases.append(base) if base in ticdc.memory().get("views", {}) and base not in bases %}
    {% endfor %}
    {% do ticdc.make_relations(changed, typed.standing, bases) %}
    {% do typed.made.append(kind) %}
    {% do return(changed) %}
{% endmacro %}
