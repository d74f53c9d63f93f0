{% macro kafka_feeds(feeds) %}
    {% do return(ticdc.feeds_of_kind("kafka", feeds) | rejectattr("keep_messages") | list) %}
{% endmacro %}
