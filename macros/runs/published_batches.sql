{% macro published_batches(name, column="batches") -%}
    (
        select try_element_at(states.{{ column }}, {{ ticdc.text_literal(name) }})
        from {{ ref("int_ticdc__publication") }} as states
    )
{%- endmacro %}
