{% macro kafka_reader(feed) %}
    {% do return("int_ticdc__kept_messages" if feed.keep_messages else "stg_ticdc__" ~ feed.protocol) %}
{% endmacro %}
