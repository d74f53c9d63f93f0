{% macro check_publication() %}
    {# a run whose lease ended may be followed by one that began from the same publication #}
    {% set found, expected = ticdc.saved_states()["publication"].number, ticdc.memory().published_number %}
    {% if found != expected %}
        {% do exceptions.raise_compiler_error(
            "ticdc: another run published while this one built: it began from publication " ~ expected ~ ", and now there is " ~ found
            ~ ". What it wrote is not shown, and the next run does its part again"
        ) %}
    {% endif %}
{% endmacro %}
