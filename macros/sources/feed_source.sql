{% macro feed_source(feed) %}
    {% set source = feed.get("source") if feed.get("source") is mapping else {} %}
    {% if source.get("kafka") is mapping %}
        {% set kafka = source["kafka"] %}
        {% do return({
            "kind": "kafka", "bootstrap_servers": kafka.get("bootstrap_servers"),
            "isolation_level": kafka.get("isolation_level", "read_committed"), "options": kafka.get("options") or {},
        }) %}
    {% elif source.get("files") is string %}
        {% do return({"kind": "files", "files": source["files"]}) %}
    {% endif %}
    {% set relation, layout = source.get("relation"), source.get("layout", "kafka") %}
    {% do return({
        "kind": "relation", "relation": relation if relation is string else none, "layout": layout if layout is string else "kafka",
    }) %}
{% endmacro %}
