{% macro configuration_problems() %}
    {% set problems = [] %}
    {% set feeds = var("ticdc__feeds", none) %}
    {% if feeds is string or feeds is mapping or feeds is not iterable or not feeds %}
        {% do problems.append("ticdc__feeds: got " ~ feeds | tojson ~ ", expected a list of at least one feed (vars in dbt_project.yml)") %}
        {% set feeds = [] %}
    {% endif %}
    {% set names = [] %}
    {% for feed in feeds %}
        {% set place = "ticdc__feeds[" ~ loop.index0 ~ "]" %}
        {% if feed is not mapping %}
            {% do problems.append(place ~ ": got " ~ feed | tojson ~ ", expected a mapping with name, protocol and topics") %}
        {% else %}
            {% do problems.extend(ticdc.feed_problems(feed, place, names)) %}
            {% do names.append(feed.get("name")) %}
        {% endif %}
    {% endfor %}
    {% do problems.extend(ticdc.variable_problems()) %}
    {% do problems.extend(ticdc.initial_load_problems(names)) %}
    {% do return(problems) %}
{% endmacro %}
