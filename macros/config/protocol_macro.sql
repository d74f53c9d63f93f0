{% macro protocol_macro(protocol, part) %}
    {% set name = protocol ~ "__" ~ part %}
    {% if name not in ticdc %}
        {% do exceptions.raise_compiler_error("ticdc: the protocol " ~ protocol ~ " has no macro " ~ name ~ "; protocols: " ~ ticdc.protocols() | join(", ")) %}
    {% endif %}
    {% do return(ticdc[name]) %}
{% endmacro %}
