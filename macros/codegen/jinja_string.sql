{% macro jinja_string(text) %}
    {% do return('"' ~ text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r").replace("{", "\\x7b").replace("}", "\\x7d") ~ '"') %}
{% endmacro %}
