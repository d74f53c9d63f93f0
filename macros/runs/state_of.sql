{% macro state_of(relation) %}
    {% do return(ticdc.state().models.setdefault(relation.identifier, {"batches": [], "since": {}, "settled": none})) %}
{% endmacro %}
