{% macro debezium__options() %}
    {% do return({"time_zone": "time zone", "compression": ["none", "snappy", "lz4"], "target_schema": "pattern"}) %}
{% endmacro %}
