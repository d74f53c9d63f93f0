{% macro arriving_rows(settled, progress) %}
    {% set rows = ref("int_ticdc__rows") %}
    {% set arriving = {"first_commit_ts": 0, "first_commits": {}, "has_bags": false} %}
    {% if settled != progress %}
        {% for row in ticdc.rows_if_built(
            rows,
            "select feed, min(commit_ts), max(array_contains(lossy, '*:no_key')) from " ~ rows
            ~ " where " ~ ticdc.is_unsettled_event(settled, progress) ~ " group by feed"
        ) %}
            {% do arriving.first_commits.update({row[0]: row[1] | int}) %}
            {% do arriving.update({"has_bags": arriving.has_bags or row[2]}) %}
        {% endfor %}
        {% do arriving.update({"first_commit_ts": arriving.first_commits.values() | min | default(0)}) %}
    {% endif %}
    {% do return(arriving) %}
{% endmacro %}
