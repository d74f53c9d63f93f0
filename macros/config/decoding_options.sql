{% macro decoding_options(feed) %}
    {% set given = feed.get("options") or {} %}
    {% set options = {"feed": feed["name"]} %}
    {% for option in ["binary_handling_mode", "compression", "encoding", "framing", "time_zone"] if option in given %}
        {% do options.update({option: given[option]}) %}
    {% endfor %}
    {% do return(tojson(options, sort_keys=true)) %}
{% endmacro %}
