{% macro row_columns() %}
    {% do return([
        "topic", "`partition`", "`offset`", "event_index", "message_at", "commit_ts", "commit_ts_exact", "start_ts",
        "schema_name", "table_name", "physical_table_id", "op", "row_key", "before_key", "before", "after", "row_id",
        "table_schema_id", "lossy", "checksum_mismatch",
    ]) %}
{% endmacro %}
