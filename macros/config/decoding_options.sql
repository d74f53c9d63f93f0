{% macro decoding_options(name, options) %}
    {% set given = {"feed": name} %}
    {% for option in [
        "binary_encoding_method", "binary_handling_mode", "compression", "delimiter", "encoding", "framing", "include_commit_ts",
        "null", "output_field_header", "output_handle_key", "output_old_value", "quote", "terminator", "time_zone",
    ] if option in options %}
        {% do given.update({option: options[option]}) %}
    {% endfor %}
    {% do return(tojson(given, sort_keys=true)) %}
{% endmacro %}
