{% macro feed_problems(feed, place, names) %}
    {% set problems = [] %}
    {% set members = ["name", "protocol", "topics", "partitions", "options", "target_schema", "tables", "typed_relations"] %}
    {% for member in feed if member not in members %}
        {% do problems.append(place ~ ": unknown member " ~ member | tojson ~ ", allowed: " ~ members | join(", ")) %}
    {% endfor %}

    {% set name = feed.get("name") %}
    {% if name is not string or not modules.re.fullmatch("[A-Za-z0-9_]+", name) %}
        {% do problems.append(place ~ ".name: got " ~ name | tojson ~ ", expected letters, digits and _") %}
    {% elif name in names %}
        {% do problems.append(place ~ ".name: got " ~ name | tojson ~ " a second time; each feed needs a name of its own") %}
    {% endif %}

    {% set topics = feed.get("topics") %}
    {% if topics is string or topics is mapping or topics is not iterable or not topics or topics | reject("string") | list %}
        {% do problems.append(place ~ ".topics: got " ~ topics | tojson ~ ", expected a list of SQL like patterns") %}
    {% else %}
        {% for topic in topics if not modules.re.fullmatch("([^\\\\]|[\\\\][\\\\%_])+", topic) %}
            {% do problems.append(
                place ~ ".topics: got " ~ topic | tojson ~ ", expected a SQL like pattern; in it a backslash stands before %, _ or another one"
            ) %}
        {% endfor %}
    {% endif %}

    {% set partitions = feed.get("partitions") %}
    {% if partitions is not none and (partitions is boolean or partitions is not integer or partitions < 1) %}
        {% do problems.append(place ~ ".partitions: got " ~ partitions | tojson ~ ", expected the number of partitions of each topic") %}
    {% endif %}

    {% set expected = ticdc.expected_instead(feed.get("target_schema", "{schema}"), "pattern") %}
    {% if expected and feed.get("target_schema", "{schema}") is not none %}
        {% do problems.append(place ~ ".target_schema: got " ~ feed.get("target_schema") | tojson ~ ", allowed: null (no typed tables) or " ~ expected) %}
    {% endif %}

    {% do problems.extend(ticdc.typed_problems(feed, place)) %}

    {% if feed.get("protocol") not in ticdc.protocols() %}
        {% do problems.append(place ~ ".protocol: got " ~ feed.get("protocol") | tojson ~ ", allowed: " ~ ticdc.protocols() | join(", ")) %}
    {% else %}
        {% do problems.extend(ticdc.option_problems(feed, place)) %}
    {% endif %}
    {% do return(problems) %}
{% endmacro %}
