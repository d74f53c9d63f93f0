{% macro sent_messages(feeds, positions) %}
    {% set found, in_relations, in_files = [], ticdc.feeds_of_kind("relation", feeds), ticdc.feeds_of_kind("files", feeds) %}
    {% if in_relations %}{% do found.append(ticdc.relation_messages(in_relations)) %}{% endif %}
    {% if in_files %}{% do found.append(ticdc.file_messages(in_files, ticdc.files_of_letters(in_files))) %}{% endif %}
    {% set in_kafka, kept = ticdc.kafka_feeds(feeds), ticdc.kafka_feeds(feeds, are_kept=true) %}
    {% if kept %}{% do found.append(ticdc.kept_messages(kept)) %}{% endif %}
    {% for feed in in_kafka %}{% do found.append(ticdc.kafka_messages_again(feed)) %}{% endfor %}
    {% do return(found | join("\nunion all\n")) %}
{% endmacro %}
