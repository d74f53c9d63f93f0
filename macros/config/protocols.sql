{% macro protocols() %}
    {% do return(["avro", "canal_json", "debezium", "debezium_avro", "open_protocol", "simple"]) %}
{% endmacro %}
