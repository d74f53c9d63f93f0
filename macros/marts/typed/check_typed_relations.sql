{% macro check_typed_relations(tables) %}
    {% set owners = {} %}
    {% set problems = [] %}
    {% for table in tables %}
        {% set owner = "feed " ~ table.feed ~ " (" ~ table.schema_name ~ "." ~ table.table_name ~ ")" %}
        {% if table.relation in owners %}
            {% do problems.append(table.relation ~ " would be written by " ~ owners[table.relation] ~ " and by " ~ owner) %}
        {% endif %}
        {% do owners.update({table.relation: owner}) %}
    {% endfor %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            "ticdc: give each feed a target_schema of its own in ticdc__feeds, such as {feed}_{schema}:\n  - " ~ problems | join("\n  - ")
        ) %}
    {% endif %}
{% endmacro %}
