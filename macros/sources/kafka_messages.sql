{% macro kafka_messages(feeds) %}
    {% set found, plans, reader = [], ref("int_ticdc__kafka_offsets"), ticdc.kafka_reader(feeds[0]) %}
    {% for feed in feeds %}{% do found.append(ticdc.kafka_rows(feed, ticdc.offsets_to_read(feed, reader, feeds, plans))) %}{% endfor %}
    {% do return(found | join("\nunion all\n")) %}
{% endmacro %}
