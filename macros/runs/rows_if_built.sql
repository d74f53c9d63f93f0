{% macro rows_if_built(relation, query) %}
    {# `dbt compile` and `dbt docs generate` ask before the first build too; in a unit test it is a query without schema. #}
    {% if not execute or relation.schema is none or load_cached_relation(relation) is none %}{% do return([]) %}{% endif %}
    {% do return(run_query(query).rows) %}
{% endmacro %}
