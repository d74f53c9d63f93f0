{% macro rows_by_view(relation, view) -%}
    {%- set name = ticdc.text_literal(relation.identifier) -%}
    (
        select *
        from {{ relation }}
        where
            array_contains((select try_element_at(batches, {{ name }}) from {{ view }}), batch_id)
            {%- if relation.identifier in ticdc.models_by_feed() %}
            and batch_id >= coalesce(try_element_at((select try_element_at(since, {{ name }}) from {{ view }}), feed), 0)
            {%- endif %}
    )
{%- endmacro %}
