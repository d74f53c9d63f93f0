{% macro arrived_changes(table, run_id, columns="count(*)") -%}
    select {{ columns }}
    from {{ ticdc.changes_of_table(table) }}
    where
        feed = {{ ticdc.text_literal(table.feed) }}
        and table_id = {{ ticdc.text_literal(table.table_id) }}
        and run_id > {{ run_id }}
{%- endmacro %}
