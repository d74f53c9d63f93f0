{% macro some_end_names(seen_tables) %}
    {% do return(ticdc.asked(
        "select 1 from " ~ ticdc.rows_of(seen_tables) ~ " as seen where " ~ ticdc.may_end_names() ~ " limit 1", [seen_tables]
    ) | length > 0) %}
{% endmacro %}
