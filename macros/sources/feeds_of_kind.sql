{% macro feeds_of_kind(kind, feeds) %}
    {% do return(feeds | selectattr("source", "defined") | selectattr("source.kind", "equalto", kind) | list) %}
{% endmacro %}
