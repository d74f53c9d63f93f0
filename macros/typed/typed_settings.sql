{% macro typed_settings() %}
    {% set patterns = {} %}
    {% for feed in ticdc.feeds() if feed.target_schema %}
        {% do patterns.update({feed.name: feed.target_schema}) %}
    {% endfor %}
    {% do return(tojson({"target": target.schema, "feeds": patterns, "own_schemas": ticdc.own_schemas()}, sort_keys=true)) %}
{% endmacro %}
