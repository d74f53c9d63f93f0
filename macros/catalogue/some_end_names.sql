{% macro some_end_names(seen_tables) %}
    {% set found = ticdc.asked(
        "select bool_or(lower(ddl_query) rlike '" ~ ticdc.name_ending_words() ~ "') from " ~ ticdc.rows_of(seen_tables) ~ " as seen", [seen_tables]
    ) %}
    {# where it cannot be asked, all of the query is rendered #}
    {% do return(found[0][0] if found else true) %}
{% endmacro %}
