{% macro source_relations() %}
    {% set relations, schema = {}, ticdc.variables().ticdc__messages_schema %}
    {# a wrong name of the schema is told by itself #}
    {% for feed in ticdc.feeds_of_kind("relation", ticdc.feeds()) if feed.source.relation or (schema is string and schema) %}
        {% set columns = {} %}
        {% for column in adapter.get_columns_in_relation(ticdc.source_relation(feed).replace(limit=none)) %}
            {% do columns.update({column.name | lower: column.dtype | lower}) %}
        {% endfor %}
        {% do relations.update({tojson(feed.source, sort_keys=true): [feed.source.relation or "", feed.source.layout, columns]}) %}
    {% endfor %}
    {% do return(relations.values() | list) %}
{% endmacro %}
