{% macro forget_redriven_feeds() %}
    {% if execute %}
        {% for feed in ticdc.redriven_feeds(ticdc.settled(), fromjson(ticdc.text_to_settle())) %}
            {% do run_query("alter table " ~ this ~ " drop if exists partition (feed = " ~ ticdc.text_literal(feed) ~ ")") %}
        {% endfor %}
    {% endif %}
{% endmacro %}
