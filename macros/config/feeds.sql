{% macro feeds() %}
    {% set problems = ticdc.configuration_problems() %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            "ticdc: the configuration has " ~ problems | length ~ " problem(s):\n  - " ~ problems | join("\n  - ")
        ) %}
    {% endif %}
    {% set feeds = [] %}
    {% for feed in var("ticdc__feeds") %}
        {% set options = feed.get("options") or {} %}
        {% do feeds.append({
            "name": feed["name"],
            "protocol": feed["protocol"],
            "topics": feed["topics"],
            "partitions": feed.get("partitions"),
            "claim_check": options.get("claim_check"),
            "schemas": options.get("schemas"),
            "framing": options.get("framing", "confluent"),
            "binary_handling_mode": options.get("binary_handling_mode"),
            "options": ticdc.decoding_options(feed),
            "target_schema": feed.get("target_schema", options.get("target_schema", "{schema}")),
            "tables": feed.get("tables") or [],
            "typed_relations": feed.get("typed_relations") or ticdc.typed_relations(),
        }) %}
    {% endfor %}
    {% do return(feeds) %}
{% endmacro %}
