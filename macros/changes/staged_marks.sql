{% macro staged_marks() %}
    {% set staged_runs = ref("int_ticdc__staged_runs") %}
    {% set found = ticdc.asked("select bool_or(is_waiting), bool_or(is_redriven) from " ~ ticdc.rows_of(staged_runs), [staged_runs]) %}
    {% set some_wait, some_are_redriven = found[0] if found else [false, false] %}
    {% do return({"some_wait": some_wait, "some_are_redriven": some_are_redriven}) %}
{% endmacro %}
