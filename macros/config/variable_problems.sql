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
    {% set stalled_after = var("ticdc__stalled_after_minutes", 60) %}
    {% if stalled_after is boolean or stalled_after is not integer or stalled_after < 1 %}
        {% do problems.append("ticdc__stalled_after_minutes: got " ~ stalled_after | tojson ~ ", expected a number of minutes, 1 or more") %}
    {% endif %}
    {% set stored_from_rows = var("ticdc__stored_from_rows", 100000) %}
    {% if stored_from_rows is boolean or stored_from_rows is not integer or stored_from_rows < 0 %}
        {% do problems.append("ticdc__stored_from_rows: got " ~ stored_from_rows | tojson ~ ", expected a number of rows, 0 or more") %}
    {% endif %}
    {% do return(problems) %}
{% endmacro %}
