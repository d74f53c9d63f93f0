{% macro decimal_type(lengths, observed) %}
    {% if lengths %}
        {% set precision = lengths[0] | int %}
        {% set scale = (lengths[1] if lengths | length > 1 else 0) | int %}
    {% else %}
        {% set precision = 38 if observed[0] + observed[1] <= 38 else 65 %}
        {% set scale = observed[1] %}
    {% endif %}
    {% do return("decimal(" ~ precision ~ "," ~ scale ~ ")" if scale <= precision <= 38 and precision else "string") %}
{% endmacro %}
