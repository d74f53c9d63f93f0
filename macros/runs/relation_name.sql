{% macro relation_name(model) %}
    {# where dbt parses, and in its unit tests, the graph is empty #}
    {% do return(graph.nodes["model.ticdc." ~ model].alias if execute and "nodes" in graph else model) %}
{% endmacro %}
