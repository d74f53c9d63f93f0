{% macro has_rows_of(relation) %}
    {# in a unit test a table is a query that may hold some #}
    {% if "nodes" not in graph %}{% do return(true) %}{% endif %}
    {% do return(ticdc.asked("select 1 from " ~ ticdc.rows_of(relation) ~ " limit 1", [relation]) | length > 0) %}
{% endmacro %}
