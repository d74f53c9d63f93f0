{% macro check_feeds(feeds) %}
    {% set problems, protocols = [], ticdc.protocols() %}
    {% if not ticdc.is_list(feeds) or not feeds %}
        {% do problems.append("ticdc__feeds: got " ~ tojson(feeds) ~ ", expected a list of at least one feed (vars in dbt_project.yml)") %}
    {% endif %}
    {% for feed in (feeds if not problems else []) %}
        {% set place = "ticdc__feeds[" ~ loop.index0 ~ "]" %}
        {% if feed is not mapping %}
            {% do problems.append(place ~ ": got " ~ tojson(feed) ~ ", expected a mapping with name, protocol and topics") %}
        {% elif feed.get("name") is not string %}
            {% do problems.append(place ~ ".name: got " ~ tojson(feed.get("name")) ~ ", expected letters, digits and _") %}
        {% elif feed.get("protocol") is not string or feed["protocol"] not in protocols %}
            {% do problems.append(place ~ ".protocol: got " ~ tojson(feed.get("protocol")) ~ ", allowed: " ~ protocols | join(", ")) %}
        {% elif not ticdc.is_list(feed.get("topics")) and not feed["protocol"].startswith("storage_") %}
            {% do problems.append(place ~ ".topics: got " ~ tojson(feed.get("topics")) ~ ", expected a list of SQL like patterns") %}
        {% endif %}
    {% endfor %}
    {% do ticdc.refuse_configuration(problems) %}
{% endmacro %}
