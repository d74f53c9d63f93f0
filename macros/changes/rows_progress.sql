{% macro rows_progress() %}
    {% do return(ticdc.settled(ref("int_ticdc__resolved_rows"))) %}
{% endmacro %}
