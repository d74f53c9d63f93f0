{% macro storage_name(storage) %}
    {% do return(storage.split(".")[-1].replace("`", "")) %}
{% endmacro %}
