{% macro new_messages(feeds, staged) %}
    {% set found, in_relations, in_files = [], ticdc.feeds_of_kind("relation", feeds), ticdc.feeds_of_kind("files", feeds) %}
    {% if in_relations %}{% do found.append(ticdc.relation_messages(in_relations, staged.ranges)) %}{% endif %}
    {% if in_files %}{% do found.append(ticdc.file_messages(in_files, ticdc.new_files(in_files, staged), not staged.relation)) %}{% endif %}
    {% set in_kafka, kept = ticdc.kafka_feeds(feeds), ticdc.kafka_feeds(feeds, are_kept=true) %}
    {% if in_kafka %}{% do found.append(ticdc.kafka_messages(in_kafka)) %}{% endif %}
    {% if kept %}
        {% set since = ticdc.settled(staged.relation).get("kept_run_id") or 0 if staged.relation else 0 %}
        {% do found.append(ticdc.kept_messages(kept, since)) %}
    {% endif %}
    {% do return(found | join("\nunion all\n")) %}
{% endmacro %}
