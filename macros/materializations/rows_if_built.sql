{% macro rows_if_built(relation, query) %}
    {# `dbt compile` and `dbt docs generate` ask before the first build too. #}
    {% if not execute or load_cached_relation(relation) is none %}{% do return([]) %}{% endif %}
    {% do return(run_query(query).rows) %}
{% endmacro %}
