{% macro fingerprint(relation) %}
    {% for row in run_query("show tblproperties " ~ relation).rows if row[0] == "ticdc.fingerprint" %}
        {% do return(row[1]) %}
    {% endfor %}
    {% do return(none) %}
{% endmacro %}
