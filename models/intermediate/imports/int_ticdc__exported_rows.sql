{{
    config(
        materialized="ticdc_append",
        partition_by=["batch_id", "feed"],
        is_kept=true,
    )
}}
{%- set loads = ticdc.initial_loads(this) | rejectattr("is_exported") | list -%}
{%- do ticdc.check_loads(loads) -%}
{%- set text_format = "yyyy-MM-dd HH:mm:ss.SSSSSS" -%}
{%- set row -%}
to_json(struct(*), map(
    'ignoreNullFields', 'false', 'timeZone', 'UTC', 'timestampFormat', '{{ text_format }}',
    'timestampNTZFormat', '{{ text_format }}'
))
{%- endset -%}
{%- set nothing = {
    "schema": "", "table": "", "commit_ts": 0, "key_columns": "", "feed": "", "relation": none,
} %}
{{ ticdc.takes(is_idle=not loads) }}
{%- for load in loads or [nothing] %}
{#- an export may have no rows: the first one says that it was read #}
{%- for of_row in ["cast(null as string)"] + ([row] if load.relation else []) %}
select
    {{ ticdc.text_literal(load.schema) }} as schema_name,
    {{ ticdc.text_literal(load.table) }} as table_name,
    cast({{ load.commit_ts }} as bigint) as commit_ts,
    {{ ticdc.text_literal(load.key_columns) }} as key_columns,
    {{ of_row }} as row,
    {{ ticdc.run_id() }} as run_id,
    {{ ticdc.text_literal(load.feed) }} as feed
{{ "from " ~ load.relation if not loop.first }}
{{ "union all" if not loop.last }}
{%- endfor %}
{{ "union all" if not loop.last }}
{%- endfor %}
{{ "where false" if not loads }}
