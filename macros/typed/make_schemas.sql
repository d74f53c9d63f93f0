{% macro make_schemas(tables, schemas) %}
    {% set blocks, known = [], dict.fromkeys(schemas) %}
    {% for table in tables %}{% for change in table.changes if not change.problem and change.schema not in known %}
        {% do known.update({change.schema: none}) %}
        {% do blocks.append({"place": 0, "statements": ["create schema if not exists " ~ ticdc.identifier(change.schema)]}) %}
    {% endfor %}{% endfor %}
    {# in one that is refused Spark refuses each relation #}
    {% do ticdc.tried_statements(blocks) %}
{% endmacro %}
