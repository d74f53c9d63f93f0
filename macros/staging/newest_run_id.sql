{% macro newest_run_id() %}
    {% set events = ref("int_ticdc__events") %}
    {% if not execute %}{% do return(0) %}{% endif %}
    {% do return(run_query("select coalesce(max(run_id), 0) from " ~ events).rows[0][0] | int) %}
{% endmacro %}
