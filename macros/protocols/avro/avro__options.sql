{% macro avro__options() %}
    {% do return({"time_zone": "time zone", "session_time_zone": "session time zone", "framing": ["confluent", "glue"], "schemas": "schemas", "target_schema": "pattern"}) %}
{% endmacro %}
