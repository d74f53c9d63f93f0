{% macro ref() %}
    {# Of no messages `dbt build --empty` makes empty tables; with limited models it would make the built ones forget what they hold,
       as `--sample` would with models that have an `event_time`. #}
    {% do return(builtins.ref(*varargs, **kwargs).replace(limit=none, event_time_filter=none)) %}
{% endmacro %}
