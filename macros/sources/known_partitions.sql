{% macro known_partitions(plans) %}
    {% set readers, found = {}, [] %}
    {% for feed in ticdc.feeds_of_kind("kafka", ticdc.feeds()) %}
        {% do readers.setdefault(ticdc.kafka_reader(feed), []).append(feed) %}
    {% endfor %}
    {% for reader, feeds in readers.items() %}
        {% do found.extend(ticdc.partitions_of_reader(reader, feeds, plans)) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
