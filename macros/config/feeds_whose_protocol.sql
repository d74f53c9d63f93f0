{% macro feeds_whose_protocol(capability, value) %}
    {% set found = [] %}
    {% for feed in ticdc.feeds() if ticdc.protocols()[feed.protocol][capability] == value %}{% do found.append(feed) %}{% endfor %}
    {% do return(found) %}
{% endmacro %}
