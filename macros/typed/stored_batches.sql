{% macro stored_batches(storage, otherwise="array()") -%}
    coalesce({{ ticdc.published_batches(ticdc.storage_name(storage)) }}, {{ otherwise }})
{%- endmacro %}
