{% macro published_batches(model) -%}
    (
        select try_element_at(states.batches, {{ ticdc.text_literal(ticdc.relation_name(model)) }})
        from {{ ref("int_ticdc__publication") }} as states
    )
{%- endmacro %}
