{% macro source_offsets(feeds) %}
    {% set found, in_relations, in_files = [], ticdc.feeds_of_kind("relation", feeds), ticdc.feeds_of_kind("files", feeds) %}
    {% if in_relations %}{% do found.append(ticdc.relation_offsets(in_relations)) %}{% endif %}
    {% if in_files %}{% do found.append(ticdc.file_offsets(in_files)) %}{% endif %}
    {% set kept = ticdc.kafka_feeds(feeds, are_kept=true) %}
    {% if kept %}{% do found.append("select feed, topic, `partition`, `offset`, message_at from (" ~ ticdc.kept_messages(kept) ~ ")") %}{% endif %}
    {# what is in Kafka alone no view can read #}
    {% if not found %}
        {% do found.append(
            "select '' as feed, '' as topic, 0 as `partition`, cast(0 as bigint) as `offset`, current_timestamp() as message_at where false"
        ) %}
    {% endif %}
    {% do return(found | join("\nunion all\n")) %}
{% endmacro %}
