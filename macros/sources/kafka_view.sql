{% macro kafka_view(feed, ranges, fails_on_loss) %}
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
    {% for option, value in feed.source.options.items() %}{% do options.update({"kafka." ~ option: value}) %}{% endfor %}
    {% if "${secrets:" in feed.source.options.values() | join %}
        {# Kafka's clients read these from the environment; references to a provider `env` Spark would replace in the statement #}
        {% do options.update({
            "kafka.config.providers": "secrets",
            "kafka.config.providers.secrets.class": "org.apache.kafka.common.config.provider.EnvVarConfigProvider",
        }) %}
    {% endif %}
    {% set told = [] %}
    {% for option, value in options.items() %}{% do told.append(ticdc.text_literal(option) ~ " " ~ ticdc.text_literal(value)) %}{% endfor %}
    {% do run_query("create or replace temporary view " ~ ticdc.identifier(name) ~ " using kafka options (" ~ told | join(", ") ~ ")") %}
    {% do return(ticdc.identifier(name)) %}
{% endmacro %}
