{% macro kafka_plan() %}
    {% set request = {"run_id": ticdc.run_id() | int, "cap": var("ticdc__messages_per_run", none), "feeds": []} %}
    {% set accepted, known = var("ticdc__accept_lost_messages", false), {} %}
    {% for partition in ticdc.known_partitions(this if ticdc.has_rows() else none) %}
        {% do known.setdefault(partition.feed, []).append(partition) %}
    {% endfor %}
    {% for feed in ticdc.feeds_of_kind("kafka", ticdc.feeds()) %}
        {% do request.feeds.append({
            "name": feed.name, "kafka": feed.source, "topics": feed.topics, "finished_topics": feed.finished_topics,
            "known": known.get(feed.name, []), "is_accepted": accepted is true or (accepted and feed.name in accepted),
        }) %}
    {% endfor %}
    {% set answer = fromjson(run_query(
        "select ticdc_kafka_offsets(cast(unhex('" ~ tojson(request).encode().hex() ~ "') as string))"
    ).rows[0][0]) %}
    {% if answer.problem %}{% do exceptions.raise_compiler_error("ticdc: " ~ answer.problem) %}{% endif %}
    {% set before = {} %}
    {% for partition in known.values() | sum(start=[]) %}
        {% do before.update({[partition.feed, partition.topic, partition.partition] | join("\n"): partition}) %}
    {% endfor %}
    {% for each in answer.planned %}
        {% set partition = before.pop([each.feed, each.topic, each.partition] | join("\n"), {}) %}
        {% if each.end_offset > each.start_offset or each.accepted
            or [each.topic_id, each.first_offset, each.status] != [partition.topic_id, partition.first_offset, partition.status] %}
            {% do answer.update({"is_new": true}) %}
        {% endif %}
    {% endfor %}
    {% do return(answer) %}
{% endmacro %}
