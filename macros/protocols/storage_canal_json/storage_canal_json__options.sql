{% macro storage_canal_json__options() %}
    {% do return({"time_zone": "time zone", "session_time_zone": "session time zone", "terminator": "text", "target_schema": "pattern"}) %}
{% endmacro %}
