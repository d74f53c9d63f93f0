{% macro debezium_avro__options() %}
    {% do return({"time_zone": "time zone", "framing": ["confluent", "glue"], "schemas": "schemas", "target_schema": "pattern"}) %}
{% endmacro %}
