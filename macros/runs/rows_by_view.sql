{% macro rows_by_view(relation, model) -%}
    {%- if relation.schema is none -%}
    {{ relation }}
    {%- else -%}
    {%- set name, view = ticdc.text_literal(relation.identifier), ref(model) -%}
    (
        select stored.*
        from {{ relation }} as stored
        where
            array_contains((select try_element_at(states.batches, {{ name }}) from {{ view }} as states), stored.batch_id)
            {%- if relation.identifier in ticdc.models_by_feed() %}
            and stored.batch_id >= coalesce(
                try_element_at((select try_element_at(states.since, {{ name }}) from {{ view }} as states), stored.feed), 0
            )
            {%- endif %}
    )
    {%- endif -%}
{%- endmacro %}
