{% macro protocols() %}
    {% do return(["canal_json", "debezium", "open_protocol", "simple"]) %}
{% endmacro %}
