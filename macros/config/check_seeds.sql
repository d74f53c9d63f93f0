{% macro check_seeds() %}
    {% set seeds = ticdc.configured_nodes("seed") %}
    {% if seeds %}
        {% do ticdc.check_request({
            "variables": none, "protocols": {}, "relations": [], "models": [], "stored": [], "missing_seeds": [], "is_full_refresh": false,
            "configured": seeds,
        }) %}
        {% do ticdc.check_locations() %}
    {% endif %}
{% endmacro %}
