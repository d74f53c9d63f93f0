{% macro making_statements(table, change, standing) %}
    {% if change.kind == "history_storage" %}{% do return(ticdc.history_statements(table)) %}{% endif %}
    {% set statements, stands = ticdc.typed_storage(table) if change.is_written else [], standing.get(change.key) %}
    {% do statements.append(ticdc.relation_statement(change, ticdc.typed_query(table, change.kind), stands)) if change.is_other %}
    {% if change.is_other and stands == "unmarked" and change.kind != "as_of_function" %}
        {% do statements.append("alter view " ~ change.relation ~ " set " ~ ticdc.typed_properties()) %}
    {% endif %}
    {% do return(statements) %}
{% endmacro %}
