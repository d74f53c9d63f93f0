{% macro relation_key(kind, name) %}
    {% do return((kind == "as_of_function", name.replace("`", "") | lower)) %}
{% endmacro %}
