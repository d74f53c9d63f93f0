{% macro has_waiting_rows() %}
    {% set staged_runs = ref("int_ticdc__staged_runs") %}
    {% if ticdc.is_keyed_anew() != "false" %}{% do return(true) %}{% endif %}
    {% do return(ticdc.rows_if_built(staged_runs, "select 1 from " ~ staged_runs ~ " where is_waiting limit 1") | length > 0) %}
{% endmacro %}
