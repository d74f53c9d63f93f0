{# Gives where the messages of a feed are: a mapping with `kind`, which is `relation`, `kafka` or `files`, and the
   members of that kind, absent ones with their defaults. A wrong value stands for its default until `check_run`
   refuses the run. #}
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
        "kind": "relation", "relation": relation if relation is string else none,
        "layout": layout if layout is string else "kafka",
    }) %}
{% endmacro %}

{# Gives those of the feeds whose source is of a kind. #}
{% macro feeds_of_kind(kind, feeds) %}
    {% do return(feeds | selectattr("source", "defined") | selectattr("source.kind", "equalto", kind) | list) %}
{% endmacro %}

{# Gives those of the feeds whose source is Kafka and of which messages are kept, or are not. #}
{% macro kafka_feeds(feeds, are_kept=false) %}
    {% do return(ticdc.feeds_of_kind("kafka", feeds) | selectattr("keep_messages", "equalto", are_kept) | list) %}
{% endmacro %}

{# Gives the SQL of the messages of feeds that no run has staged, once for each feed, whose name is in the column
   `feed`, from whichever sources they are in. #}
{% macro new_messages(feeds, staged) %}
    {% set found, in_relations = [], ticdc.feeds_of_kind("relation", feeds) %}
    {% set in_files, kept = ticdc.feeds_of_kind("files", feeds), ticdc.kafka_feeds(feeds, are_kept=true) %}
    {% if in_relations %}{% do found.append(ticdc.relation_messages(in_relations, staged.ranges)) %}{% endif %}
    {% if in_files %}
        {% set files = ticdc.new_files(in_files, staged) %}
        {% do found.append(ticdc.file_messages(in_files, files, is_first=not staged.relation)) %}
    {% endif %}
    {% set in_kafka = ticdc.kafka_feeds(feeds) %}
    {% if in_kafka %}{% do found.append(ticdc.kafka_messages(in_kafka)) %}{% endif %}
    {% if kept %}
        {% set since = ticdc.settled(staged.relation).get("kept_run_id") or 0 if staged.relation else 0 %}
        {% do found.append(ticdc.kept_messages(kept, since)) %}
    {% endif %}
    {% do return(found | join("\nunion all\n")) %}
{% endmacro %}

{# Gives the SQL of messages of feeds that the sources hold still, in the columns of `new_messages`: those at certain
   positions, and maybe others. #}
{% macro sent_messages(feeds, positions) %}
    {% set found, in_relations = [], ticdc.feeds_of_kind("relation", feeds) %}
    {% set in_files, kept = ticdc.feeds_of_kind("files", feeds), ticdc.kafka_feeds(feeds, are_kept=true) %}
    {% if in_relations %}{% do found.append(ticdc.relation_messages(in_relations)) %}{% endif %}
    {% if in_files %}{% do found.append(ticdc.file_messages(in_files, ticdc.files_of_letters(in_files))) %}{% endif %}
    {% if kept %}{% do found.append(ticdc.kept_messages(kept)) %}{% endif %}
    {% for feed in ticdc.kafka_feeds(feeds) %}{% do found.append(ticdc.kafka_messages_again(feed)) %}{% endfor %}
    {% do return(found | join("\nunion all\n")) %}
{% endmacro %}

{# Gives the SQL of the positions of all messages that the sources of feeds hold: `feed`, `topic`, `partition`,
   `offset` and `message_at`. #}
{% macro source_offsets(feeds) %}
    {% set found, in_relations = [], ticdc.feeds_of_kind("relation", feeds) %}
    {% set in_files, kept = ticdc.feeds_of_kind("files", feeds), ticdc.kafka_feeds(feeds, are_kept=true) %}
    {% if in_relations %}{% do found.append(ticdc.relation_offsets(in_relations)) %}{% endif %}
    {% if in_files %}{% do found.append(ticdc.file_offsets(in_files)) %}{% endif %}
    {# what is in Kafka alone no view can read #}
    {% for messages in ([ticdc.kept_messages(kept)] if kept else [] if found else [ticdc.no_messages()]) %}
        {% do found.append("select feed, topic, `partition`, `offset`, message_at from (" ~ messages ~ ")") %}
    {% endfor %}
    {% do return(found | join("\nunion all\n")) %}
{% endmacro %}

{# Gives the SQL of no messages, in the columns of `new_messages`. #}
{% macro no_messages() -%}
select
    '' as topic,
    0 as `partition`,
    cast(0 as bigint) as `offset`,
    current_timestamp() as message_at,
    cast('' as binary) as key,
    cast('' as binary) as value,
    '' as feed
where false
{%- endmacro %}

{# Tells whether there are messages of feeds that no run has staged, without opening a file. #}
{% macro has_new_messages(feeds, staged) %}
    {% set in_files = ticdc.feeds_of_kind("files", feeds) %}
    {% set messages = ticdc.new_files(in_files, staged) if in_files else ticdc.new_messages(feeds, staged) %}
    {% do return(run_query("select 1 from (" ~ messages ~ ") limit 1").rows | length > 0) %}
{% endmacro %}

{# Gives how far this run reads the sources of feeds, as staging settles it with what it writes. #}
{% macro sources_progress(feeds) %}
    {% set progress, before = {}, ticdc.settled() %}
    {% if ticdc.kafka_feeds(feeds) %}
        {% do progress.update({"plan_run_id": before.get("plan_run_id", 0)
            if flags.EMPTY else ticdc.newest_run(ref("int_ticdc__kafka_offsets"))}) %}
    {% endif %}
    {% if ticdc.kafka_feeds(feeds, are_kept=true) %}
        {% set kept = ref("int_ticdc__kept_messages") %}
        {% do progress.update({"kept_run_id": ticdc.newest_run(kept)}) %}
    {% endif %}
    {% do return(progress) %}
{% endmacro %}

{# Gives the newest run that wrote rows of a table; 0 where none did. #}
{% macro newest_run(table) %}
    {% set query = "select max(run_id) from " ~ ticdc.rows_of(table) %}
    {% set found = ticdc.asked(query, [table]) if ticdc.batches(table) else [] %}
    {% do return(found[0][0] if found and found[0][0] else 0) %}
{% endmacro %}
