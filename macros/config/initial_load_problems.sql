{% macro initial_load_problems(feed_names) %}
    {% set problems = [] %}
    {% set loads = var("ticdc__initial_loads", none) or [] %}
    {% if loads is string or loads is mapping or loads is not iterable %}
        {% do problems.append("ticdc__initial_loads: got " ~ loads | tojson ~ ", expected a list") %}
        {% set loads = [] %}
    {% endif %}
    {% set members = ["feed", "schema", "table", "relation", "commit_ts", "key_columns"] %}
    {% set seen = [] %}
    {% for load in loads %}
        {% set place = "ticdc__initial_loads[" ~ loop.index0 ~ "]" %}
        {% if load is not mapping %}
            {% do problems.append(place ~ ": got " ~ load | tojson ~ ", expected a mapping with " ~ members[:5] | join(", ")) %}
        {% else %}
            {% for member in load if member not in members %}
                {% do problems.append(place ~ ": unknown member " ~ member | tojson ~ ", allowed: " ~ members | join(", ")) %}
            {% endfor %}
            {% if load.get("feed") not in feed_names %}
                {% do problems.append(place ~ ".feed: got " ~ load.get("feed") | tojson ~ ", allowed: " ~ feed_names | select | join(", ")) %}
            {% endif %}
            {% for member in ["schema", "table", "relation"] if load.get(member) is not string or not load.get(member) %}
                {% do problems.append(place ~ "." ~ member ~ ": got " ~ load.get(member) | tojson ~ ", expected a name") %}
            {% endfor %}
            {% set commit_ts = load.get("commit_ts") %}
            {% if commit_ts is boolean or commit_ts is not integer or commit_ts < 1 %}
                {% do problems.append(place ~ ".commit_ts: got " ~ commit_ts | tojson ~ ", expected the TSO of the export") %}
            {% endif %}
            {% set keys = load.get("key_columns") or [] %}
            {% if keys is string or keys is mapping or keys is not iterable or keys | reject("string") | list %}
                {% do problems.append(place ~ ".key_columns: got " ~ keys | tojson ~ ", expected a list of names of columns") %}
            {% endif %}
            {% set of = [load.get("feed"), load.get("schema") | string | lower, load.get("table") | string | lower, commit_ts] %}
            {% if of in seen %}
                {% do problems.append(place ~ ": a second load of the same table as of the same commit") %}
            {% endif %}
            {% do seen.append(of) %}
        {% endif %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}
