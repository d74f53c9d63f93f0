{% macro variable_problems() %}
    {% set problems = [] %}
    {% set visibility = var("ticdc__visibility", "complete") %}
    {% if visibility not in ["complete", "latest"] %}
        {% do problems.append("ticdc__visibility: got " ~ visibility | tojson ~ ", allowed: complete, latest") %}
    {% endif %}
    {% set messages_schema = var("ticdc__messages_schema", "ticdc_raw") %}
    {% if messages_schema is not string or not messages_schema %}
        {% do problems.append("ticdc__messages_schema: got " ~ messages_schema | tojson ~ ", expected the name of a schema") %}
    {% endif %}
    {% do return(problems) %}
{% endmacro %}
