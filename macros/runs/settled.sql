{% macro settled(relation=none) %}
    {% set nothing = {"run_id": 0, "bounds": {}} %}
    {% if not execute or (relation is none and not ticdc.has_rows()) or (relation or this).schema is none %}{% do return(nothing) %}{% endif %}
    {# a copy, as who asks goes on from it #}
    {% do return(fromjson(tojson(ticdc.state_of(relation or this).settled)) or nothing) %}
{% endmacro %}
