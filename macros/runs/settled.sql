{% macro settled(relation=none) %}
    {% set nothing = {"run_id": 0, "bounds": {}} %}
    {% if not execute or (relation is none and not is_incremental()) %}{% do return(nothing) %}{% endif %}
    {% set name, texts = (relation or this) | string, ticdc.memory().settled %}
    {% if name not in texts %}
        {% set properties, parts = {}, [] %}
        {% for row in ticdc.rows_if_built(relation or this, "show tblproperties " ~ name) %}
            {% do properties.update({row[0]: row[1]}) %}
        {% endfor %}
        {% for part in range(properties.get("ticdc.settled", 0) | int) %}
            {% do parts.append(properties["ticdc.settled." ~ (part + 1)]) %}
        {% endfor %}
        {% do texts.update({name: "".encode().fromhex(parts | join).decode()}) %}
    {% endif %}
    {% do return(fromjson(texts[name]) if texts[name] else nothing) %}
{% endmacro %}
