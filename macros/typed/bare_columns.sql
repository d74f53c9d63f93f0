{% macro bare_columns() -%}
column_lists as (

    select
        feed,
        table_id,
        table_incarnation,
        filter(
            from_json(table_schema, 'array<struct<name: string, type: string>>'),
            each -> each.type in ({{ ticdc.text_literals(ticdc.bare_types()) }})
        ).name as column_names
    from {{ ticdc.rows_of(ref("int_ticdc__table_states")) }} as table_states
    where is_live

)
{%- endmacro %}
