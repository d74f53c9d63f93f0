{% macro kafka_feeds(feeds, are_kept=false) %}
    {% do return(ticdc.feeds_of_kind("kafka", feeds) | selectattr("keep_messages", "equalto", are_kept) | list) %}
{% endmacro %}
