{% macro protocols() %}
    {% do return({
        "avro": {"sends_ddl": false, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none},
        "canal_json": {"sends_ddl": true, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none},
        "debezium": {"sends_ddl": true, "types_of_rows": none, "tells_updates": true, "hides_nulls_of": "expressions"},
        "debezium_avro": {"sends_ddl": false, "types_of_rows": none, "tells_updates": true, "hides_nulls_of": "defaults"},
        "open_protocol": {"sends_ddl": true, "types_of_rows": "stale", "tells_updates": false, "hides_nulls_of": none},
        "simple": {"sends_ddl": true, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none},
        "storage_canal_json": {"sends_ddl": true, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none},
        "storage_csv": {"sends_ddl": true, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none},
    }) %}
{% endmacro %}
