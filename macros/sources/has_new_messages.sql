{% macro has_new_messages(feeds, staged) %}
    {% set in_files = ticdc.feeds_of_kind("files", feeds) %}
    {# files are not opened to tell whether there are any #}
    {% set messages = ticdc.new_files(in_files, staged) if in_files else ticdc.new_messages(feeds, staged) %}
    {% do return(run_query("select 1 from (" ~ messages ~ ") limit 1").rows | length > 0) %}
{% endmacro %}
