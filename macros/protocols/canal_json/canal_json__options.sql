{% macro canal_json__options() %}
    {% do return({"time_zone": [], "compression": ["none", "snappy", "lz4"]}) %}
{% endmacro %}
