{% macro option_problems(feed, place) %}
    {% set problems = [] %}
    {% set options = feed.get("options") %}
    {% set known = ticdc.protocol_macro(feed["protocol"], "options")() %}
    {% if options is not none and options is not mapping %}
        {% do problems.append(place ~ ".options: got " ~ options | tojson ~ ", expected a mapping with: " ~ known | join(", ")) %}
    {% else %}
        {% for option, got in (options or {}).items() %}
            {% if option not in known %}
                {% do problems.append(place ~ ".options: unknown option " ~ option | tojson ~ ", allowed for " ~ feed["protocol"] ~ ": " ~ known | join(", ")) %}
            {% elif option == "time_zone" %}
                {% if got not in modules.pytz.all_timezones_set %}
                    {% do problems.append(place ~ ".options.time_zone: got " ~ got | tojson ~ ", allowed: names of the IANA time zone database, such as UTC or Asia/Shanghai") %}
                {% endif %}
            {% elif got not in known[option] %}
                {% do problems.append(place ~ ".options." ~ option ~ ": got " ~ got | tojson ~ ", allowed: " ~ known[option] | join(", ")) %}
            {% endif %}
        {% endfor %}
    {% endif %}
    {% do return(problems) %}
{% endmacro %}
