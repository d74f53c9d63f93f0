{% macro event_progress(settled) %}
    {% set completeness = ref("int_ticdc__completeness") %}
    {% set progress = {"run_id": 0, "bounds": {}, "redriven": dict(settled.get("redriven", {}))} %}
    {% for feed in ticdc.asked(
        "select feed, max(complete_through_ts), max(last_run_id), max(redriven_run_id) from " ~ completeness ~ " group by feed order by feed",
        [ref("int_ticdc__staged_runs")]
    ) %}
        {% do progress.update({"run_id": [progress.run_id, feed[2]] | max}) %}
        {% if feed[3] is not none %}
            {% do progress.redriven.update({feed[0]: [progress.redriven.get(feed[0], 0), feed[3]] | max}) %}
        {% endif %}
        {% if feed[1] is not none and var("ticdc__visibility", "complete") == "complete" %}
            {% do progress.bounds.update({feed[0]: [settled.bounds.get(feed[0], 0), feed[1]] | max}) %}
        {% endif %}
    {% endfor %}
    {% if progress.run_id > settled.run_id %}
        {% for feed in ticdc.disordered_feeds(settled, progress) %}
            {% do progress.redriven.update({feed: progress.run_id}) %}
        {% endfor %}
    {% elif settled.newest %}
        {% do progress.update({"newest": settled.newest}) %}
    {% endif %}
    {% do return(progress) %}
{% endmacro %}
