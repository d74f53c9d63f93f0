{% macro typed_history_view(table) %}
    {%- set names = table.columns | map(attribute="name") | map("lower") | list -%}
    {%- set carried = ["row_key", "valid_from_ts", "valid_to_ts", "valid_from_at", "valid_to_at", "op", "closed_by"] -%}
    create or replace view {{ table.history_relation }} as
    select
        {% for column in table.typed_columns -%}
        {{ column.stored_as }} as {{ ticdc.identifier(column.name) }},
        {% endfor -%}
        {% for column in carried -%}
        {{ column }} as {{ ticdc.free_name("_" ~ column, names) }},
        {% endfor -%}
        lossy as {{ ticdc.free_name("_lossy", names) }}
    from (
        {{ ticdc.typed_rows(table, ref("ticdc__row_history"), [], carried, true) }}
    )
{% endmacro %}
