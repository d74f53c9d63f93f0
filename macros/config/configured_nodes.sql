{% macro configured_nodes(kind) %}
    {% set found, keys = {}, ["materialized", "file_format", "partition_by", "clustered_by", "tblproperties", "delimiter", "column_types"] %}
    {% for id in selected_resources if id.startswith(kind ~ ".ticdc.") %}
        {% set node, config = graph.nodes[id], {} %}
        {% for key in keys if key in node.config %}{% do config.update({key: node.config[key]}) %}{% endfor %}
        {# a project may configure types for columns of all seeds, by their names #}
        {% for column in (config.get("column_types") or {}) | list if column not in node.columns %}
            {% do config.update({"column_types": dict(config.column_types)}) %}
            {% do config.column_types.pop(column) %}
        {% endfor %}
        {% do found.setdefault(tojson(config, sort_keys=true), {"names": [], "config": config}).names.append(node.name) %}
    {% endfor %}
    {% do return(found.values() | list) %}
{% endmacro %}
