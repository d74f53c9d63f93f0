{% macro decoding_options(name, options) %}
    {% set given = {"feed": name} %}
    {% for option in ["binary_handling_mode", "compression", "encoding", "framing", "time_zone"] if option in options %}
        {% do given.update({option: options[option]}) %}
    {% endfor %}
    {% do return(tojson(given, sort_keys=true)) %}
{% endmacro %}
