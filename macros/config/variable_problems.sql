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
    {% set columns = var("ticdc__information_schema", none) %}
    {% if columns is not none and (columns is not string or not columns) %}
        {% do problems.append("ticdc__information_schema: got " ~ columns | tojson ~ ", expected the name of a relation") %}
    {% endif %}
    {% set stalled_after = var("ticdc__stalled_after_minutes", 60) %}
    {% if stalled_after is boolean or stalled_after is not integer or stalled_after < 1 %}
        {% do problems.append("ticdc__stalled_after_minutes: got " ~ stalled_after | tojson ~ ", expected a number of minutes, 1 or more") %}
    {% endif %}
    {% set stored_from_rows = var("ticdc__stored_from_rows", 100000) %}
    {% if stored_from_rows is boolean or stored_from_rows is not integer or stored_from_rows < 0 %}
        {% do problems.append("ticdc__stored_from_rows: got " ~ stored_from_rows | tojson ~ ", expected a number of rows, 0 or more") %}
    {% endif %}
    {% set payloads = var("ticdc__dead_letter_payloads", "keep") %}
    {% if payloads not in ["keep", "hash", "cut"] %}
        {% do problems.append("ticdc__dead_letter_payloads: got " ~ payloads | tojson ~ ", allowed: keep, hash, cut") %}
    {% endif %}
    {% set minutes = var("ticdc__lease_minutes", 60) %}
    {% if minutes is boolean or minutes is not number or minutes <= 0 %}
        {% do problems.append("ticdc__lease_minutes: got " ~ minutes | tojson ~ ", expected a number of minutes, more than 0") %}
    {% endif %}
    {% set redecode = var("ticdc__redecode", false) %}
    {% if redecode is not boolean %}
        {% do problems.append("ticdc__redecode: got " ~ redecode | tojson ~ ", allowed: true, false") %}
    {% endif %}
    {% set redrive = var("ticdc__redrive", false) %}
    {% set names = [] %}
    {% set feeds = var("ticdc__feeds", none) %}
    {% for feed in (feeds if feeds is iterable else []) if feed is mapping %}{% do names.append(feed.get("name")) %}{% endfor %}
    {% if redrive is not boolean and (redrive is string or redrive is not iterable or redrive | reject("in", names) | list) %}
        {% do problems.append("ticdc__redrive: got " ~ redrive | tojson ~ ", allowed: true, false, or a list of names of feeds") %}
    {% endif %}
    {% do return(problems) %}
{% endmacro %}
