{% macro has_waiting_rows() %}
    {% set rows = ref("int_ticdc__waiting_rows") %}
    {% do return(execute and run_query("select 1 from " ~ rows ~ " limit 1").rows | length > 0) %}
{% endmacro %}
