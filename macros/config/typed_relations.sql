{% macro typed_relations() %}
    {% do return(["current", "history", "as_of"]) %}
{% endmacro %}
