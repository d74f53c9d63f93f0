{% macro typed_query(table, kind) %}
    {% if kind == "view" %}{% do return(ticdc.typed_view(table)) %}{% endif %}
    {% if kind == "history_view" %}{% do return(ticdc.typed_history_view(table)) %}{% endif %}
    {% do return(ticdc.typed_as_of_function(table)) %}
{% endmacro %}
