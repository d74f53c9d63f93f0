{% macro partitions_of_reader(reader, feeds, plans) %}
    {% set found = [] %}
    {% for row in run_query(ticdc.kafka_partitions(reader, feeds, plans)).rows %}
        {% set partition = {"feed": row[0], "topic": row[1], "topic_id": row[3], "status": row[8]} %}
        {% for name in ["partition", "log_run_id", "first_offset", "next_offset", "end_offset"] %}
            {% set value = row[name] %}
            {% do partition.update({name: none if value is none else value | int}) %}
        {% endfor %}
        {% do found.append(partition) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
