{% macro source() %}
    {# messages that `dbt build --sample` leaves out would never be read #}
    {% do return(builtins.source(*varargs, **kwargs).replace(event_time_filter=none)) %}
{% endmacro %}
