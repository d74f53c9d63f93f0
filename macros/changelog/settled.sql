{% macro settled(relation=none) %}
    {% set nothing = {"run_id": 0, "bounds": {}} %}
    {% if not execute or (relation is none and not is_incremental()) %}{% do return(nothing) %}{% endif %}
    {% for row in run_query("show tblproperties " ~ (relation or this)).rows if row[0] == "ticdc.settled" %}
        {% do return(fromjson("".encode().fromhex(row[1]).decode())) %}
    {% endfor %}
    {% do return(nothing) %}
{% endmacro %}
