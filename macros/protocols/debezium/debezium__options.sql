{% macro debezium__options() %}
    {% do return({"time_zone": "time zone", "session_time_zone": "session time zone", "compression": ["none", "snappy", "lz4"], "binary_handling_mode": ["bytes", "base64", "base64-url-safe", "hex"], "target_schema": "pattern"}) %}
{% endmacro %}
