{% macro rows_by_view(relation, model) -%}
    {%- if relation.schema is none -%}
    {{ relation }}
    {%- else -%}
    {%- set name, view = ticdc.text_literal(relation.identifier), ticdc.ref(model) -%}
    (
        {%- if relation.identifier in ticdc.models_by_feed() %}
        select stored.* except (shown)
        from (
            select
                *,
                -- one subquery for both, as Spark analyses each wherever rows are read
                (
                    select struct(try_element_at(batches, {{ name }}) as batches, try_element_at(since, {{ name }}) as since)
                    from {{ view }}
                ) as shown
            from {{ relation }}
        ) as stored
        where
            array_contains(shown.batches, batch_id)
            and batch_id >= coalesce(try_element_at(shown.since, feed), 0)
        {%- else %}
        select stored.*
        from {{ relation }} as stored
        where
            array_contains((select try_element_at(states.batches, {{ name }}) from {{ view }} as states), stored.batch_id)
        {%- endif %}
    )
    {%- endif -%}
{%- endmacro %}
