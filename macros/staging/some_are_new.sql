{% macro some_are_new(feeds, staged_offsets) %}
    {% do return(not execute or run_query("select 1 from (" ~ ticdc.messages_of_feeds(feeds, staged_offsets) ~ ") limit 1").rows | length > 0) %}
{% endmacro %}
