{% macro typed_problems(feed, place) %}
    {% set problems = [] %}
    {% set tables = feed.get("tables") %}
    {% if tables is not none and (tables is string or tables is mapping or tables is not iterable or not tables or tables | reject("string") | list) %}
        {% do problems.append(place ~ ".tables: got " ~ tables | tojson ~ ", expected a list of SQL like patterns of schema.table") %}
    {% else %}
        {% for pattern in tables or [] if not modules.re.fullmatch("!?([^\\\\!]|[\\\\][\\\\%_])([^\\\\]|[\\\\][\\\\%_])*", pattern) %}
            {% do problems.append(
                place ~ ".tables: got " ~ pattern | tojson ~ ", expected a SQL like pattern, with ! before it for tables to leave out; in it a"
                ~ " backslash stands before %, _ or another one"
            ) %}
        {% endfor %}
    {% endif %}
    {% set relations, allowed = feed.get("typed_relations"), ticdc.typed_relations() %}
    {% if relations is not none and (
        relations is string or relations is mapping or relations is not iterable or not relations or relations | reject("in", allowed) | list
    ) %}
        {% do problems.append(place ~ ".typed_relations: got " ~ relations | tojson ~ ", allowed: a list of " ~ allowed | join(", ")) %}
    {% endif %}
    {% do return(problems) %}
{% endmacro %}
