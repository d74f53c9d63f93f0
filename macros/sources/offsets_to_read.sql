{% macro offsets_to_read(feed, reader, feeds, plans) %}
    {# a plan that was made before may be read already, in part or whole #}
    {% if not execute or not ticdc.memory().get("is_begun") or flags.EMPTY or not ticdc.batches(plans) %}{% do return([]) %}{% endif %}
    {% set key, known, ranges = reader ~ " " ~ this, ticdc.memory().setdefault("kafka_partitions", {}), [] %}
    {% if key not in known %}{% do known.update({key: ticdc.partitions_of_reader(reader, feeds, plans)}) %}{% endif %}
    {% for partition in known[key] if partition.feed == feed.name and partition.status == "read" %}
        {% set start = [partition.first_offset, partition.next_offset or 0] | max %}
        {% if start < partition.end_offset %}{% do ranges.append(dict(partition, start_offset=start)) %}{% endif %}
    {% endfor %}
    {% do return(ranges) %}
{% endmacro %}
