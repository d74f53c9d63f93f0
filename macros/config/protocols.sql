{% macro protocols() %}
    {% do return(["canal_json"]) %}
{% endmacro %}
