{% macro history_columns() %}
    {% do return(["row_key", "valid_from_ts", "valid_to_ts", "valid_from_at", "valid_to_at", "op", "closed_by"]) %}
{% endmacro %}
