{% macro typed_settings() %}
    {% set patterns, wanted = {}, {} %}
    {% for feed in ticdc.feeds() if feed.target_schema %}
        {% do patterns.update({feed.name: feed.target_schema}) %}
        {% do wanted.update({feed.name: {"tables": feed.tables, "relations": feed.typed_relations}}) %}
    {% endfor %}
    {% do return(tojson({"target": target.schema, "feeds": patterns, "own_schemas": ticdc.own_schemas(), "wanted": wanted}, sort_keys=true)) %}
{% endmacro %}
