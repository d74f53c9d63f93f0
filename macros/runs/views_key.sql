{% macro views_key() %}
    {% if not execute or "nodes" not in graph %}{% do return("") %}{% endif %}
    {% set memory = ticdc.memory() %}
    {% if "views_key" not in memory %}
        {% set models = [] %}
        {% for node in graph.nodes.values() if node.package_name == "ticdc" and node.resource_type == "model" %}
            {% do models.append(node.checksum.checksum) %}
        {% endfor %}
        {% do memory.update({"views_key": local_md5(tojson([models | sort, ticdc.feeds()]))}) %}
    {% endif %}
    {% do return(memory.views_key) %}
{% endmacro %}
