{% macro schemas_relation(schemas) %}
    {% if "/" in schemas or schemas.lower().endswith(".json") %}{% do return(none) %}{% endif %}
    {% set parts = [] %}
    {% for part in schemas.split(".") %}{% do parts.append(ticdc.identifier(part)) %}{% endfor %}
    {% do return(parts | join(".")) %}
{% endmacro %}
