{% macro is_incremental() %}
    {% set existing = load_cached_relation(this) if execute else none %}
    {% do return(existing is not none and existing.is_table and not should_full_refresh()) %}
{% endmacro %}
