{% macro arriving_rows(settled, progress) %}
    {% set rows = ref("int_ticdc__rows") %}
    {% set arriving = {"first_commit_ts": 0, "has_bags": false} %}
    {% if execute and settled != progress %}
        {% set found = run_query(
            "select coalesce(min(commit_ts), 0), coalesce(max(array_contains(lossy, '*:no_key')), false) from " ~ rows
            ~ " where " ~ ticdc.is_unsettled_event(settled, progress)
        ).rows[0] %}
        {% do arriving.update({"first_commit_ts": found[0] | int, "has_bags": found[1]}) %}
    {% endif %}
    {% do return(arriving) %}
{% endmacro %}
