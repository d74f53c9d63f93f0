{% macro has_rows() %}
    {% if not execute %}{% do return(false) %}{% endif %}
    {% set materialized = config.get("materialized") %}
    {% if not (materialized.startswith("ticdc_") or materialized == "unit") or materialized == "ticdc_view" %}
        {% do exceptions.raise_compiler_error(
            "ticdc: the model " ~ model.name ~ " can only be materialized as the package does it, got " ~ materialized
            ~ ": rows would be lost; in dbt_project.yml set +materialized below the name of your project"
        ) %}
    {% endif %}
    {% do return(not (ticdc.is_refresh() and not config.get("is_kept")) and ticdc.state_of(this).settled is not none and load_cached_relation(this) is not none) %}
{% endmacro %}
