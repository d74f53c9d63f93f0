{% macro memory() %}
    {# all nodes of a run see this graph, which a program may keep for another run #}
    {% if graph.get("ticdc_memory", {}).get("invocation_id") != invocation_id %}
        {% do graph.update({"ticdc_memory": {"invocation_id": invocation_id}}) %}
    {% endif %}
    {% do return(graph["ticdc_memory"]) %}
{% endmacro %}
