{% macro check_own(existing, column=none) %}
    {% if existing is none %}{% do return(none) %}{% endif %}
    {% set information = existing.information or "" %}
    {% if modules.re.search("(?m)^Table Properties: .*ticdc[.]", information) or (column and " |-- " ~ column ~ ": " in information) %}
        {% do return(none) %}
    {% endif %}
    {% for row in run_query("show tblproperties " ~ existing).rows if row[0].startswith("ticdc.") %}{% do return(none) %}{% endfor %}
    {% do exceptions.raise_compiler_error(
        "ticdc: " ~ existing ~ " is there already, and this package did not make it. Rename or drop it, or give the models of"
        ~ " the package another schema (+schema below models: ticdc in dbt_project.yml)"
    ) %}
{% endmacro %}
