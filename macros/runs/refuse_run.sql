{% macro refuse_run(reason) %}
    {# `end_run`, which releases it too, does not follow an error of `begin_run` #}
    {% do ticdc.drop_lease() %}
    {% do exceptions.raise_compiler_error("ticdc: " ~ reason) %}
{% endmacro %}
