{% macro exported_row(load, row) -%}
select
    {{ ticdc.text_literal(load.schema) }} as schema_name,
    {{ ticdc.text_literal(load.table) }} as table_name,
    cast({{ load.commit_ts }} as bigint) as commit_ts,
    {{ ticdc.text_literal(load.key_columns) }} as key_columns,
    {{ row }} as row,
    {{ ticdc.run_id() }} as run_id,
    {{ ticdc.text_literal(load.feed) }} as feed
{%- endmacro %}
