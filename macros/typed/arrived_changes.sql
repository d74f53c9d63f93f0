{% macro arrived_changes(table, run_id, columns="count(*)") -%}
    select {{ columns }}
    from ({{ ticdc.changes_to_store() }}) as all_changes
    where
        feed = {{ ticdc.text_literal(table.feed) }}
        and table_id = {{ ticdc.text_literal(table.table_id) }}
        and run_id > {{ run_id }}
{%- endmacro %}
