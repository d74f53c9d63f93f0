{% macro noted_columns(relation) %}
    {# what dbt asked of all relations as it began saves a question for each #}
    {% do return(modules.re.findall("(?m)^ [|]-- (.*?): ", relation.information or "")) %}
{% endmacro %}
