{% macro as_jinja(text) %}
    {% set is_plain = modules.re.search("\\{[{%#]|\r", text) is none %}
    {% do return(text if is_plain else "{{ " ~ ticdc.jinja_string(text) ~ " }}") %}
{% endmacro %}
