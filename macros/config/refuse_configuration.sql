{% macro refuse_configuration(problems) %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            "ticdc: the configuration has " ~ problems | length ~ " problem(s):\n  - " ~ problems | join("\n  - ")
        ) %}
    {% endif %}
{% endmacro %}
