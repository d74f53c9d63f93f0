{% macro settled(relation=none) %}
    {% set nothing = {"run_id": 0, "bounds": {}} %}
    {% if not execute or (relation is none and not is_incremental()) %}{% do return(nothing) %}{% endif %}
    {% set properties = {} %}
    {% for row in ticdc.rows_if_built(relation or this, "show tblproperties " ~ (relation or this)) %}
        {% do properties.update({row[0]: row[1]}) %}
    {% endfor %}
    {% if "ticdc.settled" not in properties %}{% do return(nothing) %}{% endif %}
    {% set parts = [] %}
    {% for part in range(properties["ticdc.settled"] | int) %}
        {% do parts.append(properties["ticdc.settled." ~ (part + 1)]) %}
    {% endfor %}
    {% do return(fromjson("".encode().fromhex(parts | join).decode())) %}
{% endmacro %}
