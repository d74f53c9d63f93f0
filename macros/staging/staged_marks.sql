{% macro staged_marks() %}
    {% set staged_runs = ref("int_ticdc__staged_runs") %}
    {% set found = ticdc.asked("select bool_or(is_waiting), max(if(is_redriven, run_id, null)), coalesce(bool_or(not is_gapless), false), coalesce(bool_or(some_are_inexact), false) from " ~ ticdc.rows_of(staged_runs), [staged_runs]) %}
    {% set some_wait, redriven_run_id, some_have_gaps, some_are_inexact = found[0] if found else [false, none, false, false] %}
    {% do return({"some_wait": some_wait, "redriven_run_id": redriven_run_id, "some_have_gaps": some_have_gaps, "some_are_inexact": some_are_inexact}) %}
{% endmacro %}
