{% macro newest_plan() %}
    {% set plans = ref("int_ticdc__kafka_offsets") %}
    {% set found = ticdc.asked("select max(run_id) from " ~ ticdc.rows_of(plans), [plans]) if ticdc.batches(plans) else [] %}
    {% do return(found[0][0] if found and found[0][0] else 0) %}
{% endmacro %}
