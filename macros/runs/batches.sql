{% macro batches(relation) %}
    {% do return(ticdc.state_of(relation).batches | map(attribute=0) | list if execute and "nodes" in graph else []) %}
{% endmacro %}
