{% macro stored_generations(storage) %}
    {% do return(ticdc.state().models.get(ticdc.storage_name(storage), {"batches": []}).batches | map(attribute=0) | list if storage else []) %}
{% endmacro %}
