{% macro state_of(relation) %}
    {% do return(
        ticdc.memory().get("written", {}).get(relation.identifier)
        or ticdc.state().models.setdefault(relation.identifier, {"batches": [], "since": {}, "settled": none})
    ) %}
{% endmacro %}
