{% macro tables_after(relation) %}
    {% set models, after, lengths, tables = [], [], [0], [] %}
    {% for node in graph.nodes.values() if node.package_name == "ticdc" and node.resource_type == "model" %}
        {% do models.append(node) %}
        {% do after.append(node.unique_id) if node.alias == relation.identifier %}
    {% endfor %}
    {# until a pass finds no model more #}
    {% for _ in models if after | length > lengths[-1] %}
        {% do lengths.append(after | length) %}
        {% for node in models if node.unique_id not in after and node.depends_on.nodes | select("in", after) | list %}
            {% do after.append(node.unique_id) %}
        {% endfor %}
    {% endfor %}
    {% for name in ticdc.published_models() if "model.ticdc." ~ name in after[1:] %}{% do tables.append(ticdc.relation_name(name)) %}{% endfor %}
    {% do return(tables) %}
{% endmacro %}
