{% macro check_refresh(models) %}
    {% set redecodes = var("ticdc__redecode", false) %}
    {% if not flags.FULL_REFRESH %}
        {% if redecodes %}
            {% do exceptions.raise_compiler_error(
                "ticdc: ticdc__redecode is true, and only --full-refresh builds again what follows from the messages: give both, or neither"
            ) %}
        {% endif %}
        {% do return(none) %}
    {% endif %}
    {% set stored = ticdc.stored_models() %}
    {% set left_out = stored | reject("in", models) | list %}
    {% if left_out and left_out | length < stored | length %}
        {% do exceptions.raise_compiler_error(
            "ticdc: --full-refresh makes all tables of the package anew or none, as each notes what it took of the others; left out: "
            ~ left_out | sort | join(", ") ~ ". Select package:ticdc as well, or none of its models"
        ) %}
    {% endif %}
    {% set lost = ticdc.lost_messages() if redecodes else [] %}
    {% if lost %}
        {% do exceptions.raise_compiler_error(
            "ticdc: ticdc__redecode would lose messages that are decoded and that nothing can decode again:\n  - " ~ lost | join("\n  - ")
            ~ "\nBuild with --full-refresh alone, which keeps what is decoded, or put these messages back"
        ) %}
    {% endif %}
{% endmacro %}
