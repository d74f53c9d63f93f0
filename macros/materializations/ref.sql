{% macro ref() %}
    {# Of no messages `dbt build --empty` makes empty tables; with limited models it would make the built ones forget what they hold. #}
    {% do return(builtins.ref(*varargs, **kwargs).replace(limit=none)) %}
{% endmacro %}
