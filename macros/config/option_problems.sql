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
            {% else %}
                {% set expected = ticdc.expected_instead(got, known[option]) %}
                {% if expected %}
                    {% do problems.append(place ~ ".options." ~ option ~ ": got " ~ got | tojson ~ ", allowed: " ~ expected) %}
                {% endif %}
            {% endif %}
        {% endfor %}
        {% if "schemas" in known and "schemas" not in (options or {}) %}
            {% do problems.append(place ~ ".options.schemas: got null, allowed: " ~ ticdc.expected_instead(none, "schemas")) %}
        {% endif %}
    {% endif %}
    {% do return(problems) %}
{% endmacro %}
