{% macro is_refresh() %}
    {# the flag alone: dbt's should_full_refresh() asks the configuration of a model first, which any project may give for all of them #}
    {% do return(flags.FULL_REFRESH | default(false, true)) %}
{% endmacro %}
