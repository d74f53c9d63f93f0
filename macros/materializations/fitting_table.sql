{% macro fitting_table(existing, sql) %}
    {% if existing is none or ticdc.has_rows() %}{% do return(existing) %}{% endif %}
    {% set columns = adapter.get_columns_in_relation(existing) | map(attribute="name") | sort %}
    {% set wanted = (get_columns_in_query("select * from (\n" ~ sql ~ "\n)") + ["batch_id"]) | sort %}
    {% if existing.is_table and columns == wanted %}{% do return(existing) %}{% endif %}
    {% if config.get("is_kept") %}
        {% do exceptions.raise_compiler_error(
            "ticdc: " ~ existing ~ " was made by another version of the package, as its columns tell: " ~ columns | join(", ") ~ "; expected "
            ~ wanted | join(", ") ~ ". Rename or drop it: its rows are made anew from the source then"
        ) %}
    {% endif %}
    {% if existing.is_table and config.get("location_root") %}
        {% do exceptions.raise_compiler_error(
            "ticdc: " ~ existing ~ " was made by another version of the package, and Spark leaves its files where +location_root has them, "
            ~ config.get("location_root") ~ ": drop it and remove them: its rows are made anew then"
        ) %}
    {% endif %}
    {% do adapter.drop_relation(existing) %}
    {% do return(none) %}
{% endmacro %}
