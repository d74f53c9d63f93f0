{% macro has_waiting_rows() %}
    {% set staged_runs = ref("int_ticdc__staged_runs") %}
    {% do return(execute and run_query("select 1 from " ~ staged_runs ~ " where is_waiting limit 1").rows | length > 0) %}
{% endmacro %}
