{% macro some_are_bare() %}
    {% set states = ref("int_ticdc__table_states") %}
    {% do return(ticdc.asked(
        "select 1 from " ~ ticdc.rows_of(states) ~ " where is_live and exists(from_json(table_schema, 'array<struct<type: string>>'), "
        ~ "each -> each.type in (" ~ ticdc.text_literals(ticdc.bare_types()) ~ ")) limit 1", [states]
    ) | length > 0) %}
{% endmacro %}
