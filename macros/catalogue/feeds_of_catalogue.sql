{% macro feeds_of_catalogue() %}
    {% set feeds = [] %}
    {% for feed in ticdc.feeds() %}
        {% set facts = {"protocol": feed.protocol, "binary_handling_mode": feed.binary_handling_mode} %}
        {% do facts.update({"time_zone": feed.time_zone, "session_time_zone": feed.session_time_zone}) %}
        {% do facts.update({"hides_nulls_of": ticdc.protocols()[feed.protocol].hides_nulls_of}) %}
        {% do feeds.append({"name": feed.name, "facts": tojson(facts)}) %}
    {% endfor %}
    {% do return(feeds) %}
{% endmacro %}
