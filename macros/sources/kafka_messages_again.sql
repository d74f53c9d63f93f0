{% macro kafka_messages_again(feed) %}
    {% set plans, staged = ref("int_ticdc__kafka_offsets"), ticdc.relation_before("stg_ticdc__" ~ feed.protocol) %}
    {% if not execute or not ticdc.memory().get("is_begun") or not staged or not ticdc.batches(plans) %}{% do return(ticdc.kafka_rows(feed, [])) %}{% endif %}
    {% set known, ranges = ticdc.known_events(staged, [feed.name], feed.protocol ~ "__commits" in ticdc), [] %}
    {% for row in run_query(ticdc.offsets_again(known, plans)).rows %}
        {% do ranges.append({
            "topic": row[0], "partition": row[1] | int, "start_offset": row[2] | int, "end_offset": row[3] | int,
        }) %}
    {% endfor %}
    {# at an offset of a topic that was made again there is another message, of another time #}
    {% do return(
        "select topic, `partition`, `offset`, message_at, key, value, feed from ("
        ~ ticdc.kafka_rows(feed, ranges, fails_on_loss=false) ~ ") as again left semi join (" ~ known ~ ") as known using (feed, topic, `partition`, `offset`, message_at)"
    ) %}
{% endmacro %}
