{% macro decoding_options(options) %}
    {% set decoding = {} %}
    {% for option in ["compression", "encoding", "framing", "time_zone"] if option in options %}
        {% do decoding.update({option: options[option]}) %}
    {% endfor %}
    {% do return(decoding) %}
{% endmacro %}
