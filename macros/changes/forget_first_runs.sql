{% macro forget_first_runs() %}
    {% if execute and ticdc.changes_before() | string in sql %}{% do run_query("drop table if exists " ~ ticdc.changes_before()) %}{% endif %}
{% endmacro %}
