{% macro first_commit_ts(settled, progress) %}
    {% set rows = ref("int_ticdc__rows") %}
    {% if not execute or settled == progress %}{% do return(0) %}{% endif %}
    {% set first = run_query(
        "select coalesce(min(commit_ts), 0) from " ~ rows
        ~ " where " ~ ticdc.is_unsettled_event(settled, progress)
    ).rows[0][0] %}
    {% do return(first | int) %}
{% endmacro %}
