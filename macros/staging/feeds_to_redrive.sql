{% macro feeds_to_redrive(protocol, relation) %}
    {% set wanted = var("ticdc__redrive", false) %}
    {% set names = [] %}
    {% for feed in ticdc.feeds() if relation and feed.protocol == protocol and (wanted is true or (wanted and feed.name in wanted)) %}
        {% do names.append(feed.name) %}
    {% endfor %}
    {% do return(names) %}
{% endmacro %}
