{% macro canal_json__options() %}
    {% do return({"time_zone": "time zone", "session_time_zone": "session time zone", "compression": ["none", "snappy", "lz4"], "claim_check": "text", "target_schema": "pattern"}) %}
{% endmacro %}
