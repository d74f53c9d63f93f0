{% macro some_lack_commits(messages) %}
    {% if not (execute and load_relation(ref("int_ticdc__writer_schemas"))) %}{% do return(true) %}{% endif %}
    {% set found = run_query(
        "with " ~ messages ~ ", found as (select 1 from messages_with_schemas where lacks_commit limit 1) select * from found"
    ) %}
    {% do return(found.rows | length > 0) %}
{% endmacro %}
