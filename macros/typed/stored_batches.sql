{% macro stored_batches(storage) -%}
    coalesce(
        (
            select try_element_at(states.batches, {{ ticdc.text_literal(ticdc.storage_name(storage)) }})
            from {{ ref("int_ticdc__publication") }} as states
        ),
        array()
    )
{%- endmacro %}
