{% macro source_relations() %}
    {% set relations, schema, feeds = {}, ticdc.variables().ticdc__messages_schema, var("ticdc__feeds", none) %}
    {# of what `check_run` has yet to refuse: no more is asked of a feed than that it is a mapping #}
    {% for feed in (feeds if ticdc.is_list(feeds) else []) if feed is mapping %}
        {% set source, columns = ticdc.feed_source(feed), {} %}
        {% if source.kind == "relation" and (source.relation or (schema is string and schema)) %}
            {% for column in adapter.get_columns_in_relation(ticdc.source_relation({"source": source}).replace(limit=none)) %}
                {% do columns.update({column.name | lower: column.dtype | lower}) %}
            {% endfor %}
            {% do relations.update({tojson(source, sort_keys=true): [source.relation or "", source.layout, columns]}) %}
        {% endif %}
    {% endfor %}
    {% do return(relations.values() | list) %}
{% endmacro %}
