{% macro debezium_avro__options() %}
    {% do return({"time_zone": "time zone", "session_time_zone": "session time zone", "framing": ["confluent", "glue"], "schemas": "schemas", "binary_handling_mode": ["bytes", "base64", "base64-url-safe", "hex"], "target_schema": "pattern"}) %}
{% endmacro %}
