{% macro redriven_feeds(settled, progress) %}
    {% set feeds = [] %}
    {% for feed, run_id in progress.get("redriven", {}).items() if settled.run_id and run_id > settled.get("redriven", {}).get(feed, 0) %}
        {% do feeds.append(feed) %}
    {% endfor %}
    {% do return(feeds) %}
{% endmacro %}
