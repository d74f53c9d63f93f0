{% macro check_columns(existing) %}
    {% if existing is none or not ticdc.has_rows() %}{% do return(none) %}{% endif %}
    {% set missing = ticdc.missing_columns(existing, model.columns) %}
    {% if missing %}
        {% do exceptions.raise_compiler_error(
            "ticdc: " ~ existing ~ " was made by another version of the package: it has no column " ~ missing | join(", ") ~ ". "
            ~ (
                "Rename or drop it: its rows are made anew from the source then" if config.get("is_kept")
                else "Build all models of the package once with --full-refresh"
            )
        ) %}
    {% endif %}
{% endmacro %}
