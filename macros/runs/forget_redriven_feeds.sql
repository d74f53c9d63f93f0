{% macro forget_redriven_feeds() %}
    {% if execute %}
        {% for feed in ticdc.redriven_feeds(ticdc.settled(), fromjson(ticdc.text_to_settle())) %}
            {% do ticdc.drop_partition(this, "feed", feed) %}
        {% endfor %}
    {% endif %}
{% endmacro %}
