{% macro has_news(tables, run_id) %}
    {% for table in tables %}
        {# what a run merged has ids a little above its own #}
        {% if ticdc.batches(table) and ticdc.batches(table) | max > run_id + 8 %}{% do return(true) %}{% endif %}
    {% endfor %}
    {% do return(false) %}
{% endmacro %}
