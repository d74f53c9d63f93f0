{% macro feeds() %}
    {% do ticdc.check_feeds(var("ticdc__feeds", none)) %}
    {% set feeds = [] %}
    {% for feed in var("ticdc__feeds") %}
        {% set options = feed.get("options") if feed.get("options") is mapping else {} %}
        {% set partitions, tables, relations = feed.get("partitions"), feed.get("tables"), feed.get("typed_relations") %}
        {% set finished = feed.get("finished_topics") %}
        {% set takes_schemas = "schemas" in ticdc.protocol_macro(feed["protocol"], "options")() %}
        {% do feeds.append({
            "name": feed["name"],
            "protocol": feed["protocol"],
            "source": ticdc.feed_source(feed),
            "keep_messages": feed.get("keep_messages") is true,
            "topics": feed.get("topics", ["%"]),
            "finished_topics": finished if finished and ticdc.is_list(finished) else [],
            "partitions": partitions if partitions is integer else none,
            "claim_check": options.get("claim_check"),
            "schemas": options.get("schemas") | string if takes_schemas else none,
            "framing": options.get("framing", "confluent"),
            "binary_handling_mode": options.get("binary_handling_mode"),
            "time_zone": options.get("time_zone"),
            "session_time_zone": options.get("session_time_zone"),
            "options": ticdc.decoding_options(feed["name"], options),
            "target_schema": feed.get("target_schema", options.get("target_schema", "{schema}")),
            "tables": tables if tables and ticdc.is_list(tables) else [],
            "typed_relations": relations if relations and ticdc.is_list(relations) else ticdc.typed_relations(),
        }) %}
    {% endfor %}
    {% do return(feeds) %}
{% endmacro %}
