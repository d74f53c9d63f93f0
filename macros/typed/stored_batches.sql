{% macro stored_batches(storage, otherwise="array()") -%}
    coalesce(
        (
            select try_element_at(states.batches, {{ ticdc.text_literal(ticdc.storage_name(storage)) }})
            from {{ ref("int_ticdc__publication") }} as states
        ),
        {{ otherwise }}
    )
{%- endmacro %}
