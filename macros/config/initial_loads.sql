{% macro initial_loads() %}
    {% do ticdc.feeds() %}
    {% set loads = [] %}
    {% for load in var("ticdc__initial_loads", none) or [] %}
        {% do loads.append({
            "id": tojson([load["feed"], load["schema"], load["table"], load["commit_ts"]]),
            "feed": load["feed"],
            "schema": load["schema"],
            "table": load["table"],
            "relation": load["relation"],
            "commit_ts": load["commit_ts"],
            "key_columns": tojson(load.get("key_columns") or []),
        }) %}
    {% endfor %}
    {% do return(loads) %}
{% endmacro %}
