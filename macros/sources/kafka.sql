{# Gives the SQL of the messages between offsets of Kafka, in the columns of `no_messages`, by a temporary view of
   the session. #}
{% macro kafka_rows(feed, ranges, fails_on_loss=true) %}
    {% if not ranges %}{% do return(ticdc.no_messages()) %}{% endif %}
    {% set name = "ticdc__kafka_" ~ feed.name ~ ("" if fails_on_loss else "_again") %}
    {% set partitions, starts, ends = {}, {}, {} %}
    {% for range in ranges %}
        {% do partitions.setdefault(range.topic, []).append(range.partition) %}
        {% do starts.setdefault(range.topic, {}).update({range.partition | string: range.start_offset}) %}
        {% do ends.setdefault(range.topic, {}).update({range.partition | string: range.end_offset}) %}
    {% endfor %}
    {% set options = {
        "assign": tojson(partitions), "startingOffsets": tojson(starts), "endingOffsets": tojson(ends),
        "failOnDataLoss": fails_on_loss | string | lower, "maxRecordsPerPartition": 200000,
        "kafka.bootstrap.servers": feed.source.bootstrap_servers, "kafka.isolation.level": feed.source.isolation_level,
    } %}
    {% for option, value in feed.source.options.items() %}
        {% do options.update({"kafka." ~ option: value}) %}
    {% endfor %}
    {% if "${secrets:" in feed.source.options.values() | join %}
        {# Kafka's clients read these from the environment; those to a provider `env` Spark replaces in the statement #}
        {% do options.update({
            "kafka.config.providers": "secrets",
            "kafka.config.providers.secrets.class": "org.apache.kafka.common.config.provider.EnvVarConfigProvider",
        }) %}
    {% endif %}
    {% set view, told = ticdc.identifier(name), [] %}
    {% for option, value in options.items() %}
        {% do told.append(ticdc.text_literal(option) ~ " " ~ ticdc.text_literal(value)) %}
    {% endfor %}
    {% do run_query("create or replace temporary view " ~ view ~ " using kafka options (" ~ told | join(", ") ~ ")") %}
    {% do return(
        "select topic, `partition`, `offset`, cast(`timestamp` as timestamp_ltz) as message_at, key, value, "
        ~ ticdc.text_literal(feed.name) ~ " as feed from " ~ view
    ) %}
{% endmacro %}

{# Gives the SQL of the messages in Kafka that the asking model reads in this run, in the columns of
   `int_ticdc__messages`: those of the newest plan that it did not read yet. #}
{% macro kafka_messages(feeds) %}
    {% set found, plans = [], ref("int_ticdc__kafka_offsets") %}
    {% set may_read = execute and ticdc.memory().get("is_begun") and not flags.EMPTY and ticdc.batches(plans) %}
    {# a plan that was made before may be read already, in part or whole #}
    {% set partitions = ticdc.partitions_of_reader(feeds, plans) if may_read else [] %}
    {% for feed in feeds %}
        {% set ranges = [] %}
        {% for partition in partitions if partition.feed == feed.name and partition.status == "read" %}
            {% set start = [partition.first_offset, partition.next_offset or 0] | max %}
            {% if start < partition.end_offset %}{% do ranges.append(dict(partition, start_offset=start)) %}{% endif %}
        {% endfor %}
        {% do found.append(ticdc.kafka_rows(feed, ranges)) %}
    {% endfor %}
    {% do return(found | join("\nunion all\n")) %}
{% endmacro %}

{# Gives the SQL of messages that Kafka still has, of those that a re-drive of a feed decodes again. #}
{% macro kafka_messages_again(feed) %}
    {% set plans, staged = ref("int_ticdc__kafka_offsets"), ticdc.relation_before(feed.reader) %}
    {% if not staged or not ticdc.batches(plans) %}{% do return(ticdc.no_messages()) %}{% endif %}
    {% set known = ticdc.known_events(staged, [feed.name], feed.may_lack_commits) %}
    {# between which offsets Kafka may have them #}
    {% set query %}
select
    known.topic,
    known.`partition`,
    min(known.`offset`) as start_offset,
    max(known.`offset`) + 1 as end_offset
from ({{ known }}) as known
inner join (
    {{ ticdc.newest_offsets(ticdc.rows_of(plans)) }}
) as plans
    on
        known.feed = plans.feed
        and known.topic = plans.topic
        and known.`partition` = plans.`partition`
where
    plans.status = 'read'
    and known.run_id >= plans.log_run_id
    and known.`offset` between plans.low_offset and plans.high_offset - 1
group by known.topic, known.`partition`
    {% endset %}
    {% set ranges = [] %}
    {% for row in run_query(query).rows %}
        {% do ranges.append({
            "topic": row[0], "partition": row[1] | int, "start_offset": row[2] | int, "end_offset": row[3] | int,
        }) %}
    {% endfor %}
    {# at an offset of a topic that was made again there is another message, of another time #}
    {% do return(
        "select topic, `partition`, `offset`, message_at, key, value, feed from ("
        ~ ticdc.kafka_rows(feed, ranges, fails_on_loss=false) ~ ") as again left semi join (" ~ known
        ~ ") as known using (feed, topic, `partition`, `offset`, message_at)"
    ) %}
{% endmacro %}
