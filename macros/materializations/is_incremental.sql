{% macro is_incremental() %}
    {% if not execute %}{% do return(false) %}{% endif %}
    {% set materialized = config.get("materialized") %}
    {% if materialized not in ["ticdc_append", "unit"] %}
        {% do exceptions.raise_compiler_error(
            "ticdc: the model " ~ model.name ~ " can only be materialized as ticdc_append, got " ~ materialized
            ~ ": rows would be lost; in dbt_project.yml set +materialized below the name of your project"
        ) %}
    {% endif %}
    {% set existing = load_cached_relation(this) %}
    {% do return(existing is not none and existing.is_table and not should_full_refresh()) %}
{% endmacro %}
