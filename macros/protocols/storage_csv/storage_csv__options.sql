{% macro storage_csv__options() %}
    {% do return({
        "time_zone": "time zone", "session_time_zone": "session time zone", "terminator": "text", "delimiter": "delimiter",
        "quote": "quote", "null": "null", "include_commit_ts": [true], "binary_encoding_method": ["base64", "hex"],
        "output_old_value": [true, false], "output_handle_key": [true, false], "output_field_header": [true, false],
        "target_schema": "pattern",
    }) %}
{% endmacro %}
