{% macro fingerprint(relation) %}
    {# What dbt asked of all relations as it began saves a question for each. #}
    {% set noted = modules.re.search("ticdc[.]fingerprint=([0-9a-f]+)", relation.information or "") %}
    {% if noted %}{% do return(noted.group(1)) %}{% endif %}
    {% for row in ticdc.rows_if_built(relation, "show tblproperties " ~ relation) if row[0] == "ticdc.fingerprint" %}
        {% do return(row[1]) %}
    {% endfor %}
    {% do return(none) %}
{% endmacro %}
