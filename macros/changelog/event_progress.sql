{% macro event_progress() %}
    {% set completeness = ref("int_ticdc__completeness") %}
    {% set events = ref("int_ticdc__events") %}
    {% if not execute %}{% do return({"run_id": 0, "bounds": {}}) %}{% endif %}
    {% set bounds = {} %}
    {% if var("ticdc__visibility", "complete") == "complete" %}
        {% for row in run_query(
            "select distinct feed, complete_through_ts from " ~ completeness ~ " where complete_through_ts is not null"
        ).rows %}
            {% do bounds.update({row[0]: row[1] | int}) %}
        {% endfor %}
    {% endif %}
    {% set last_run = run_query("select coalesce(max(run_id), 0) from " ~ events).rows[0][0] %}
    {% do return({"run_id": last_run | int, "bounds": bounds}) %}
{% endmacro %}
