{{
    config(
        materialized="ticdc_append",
        partition_by=["feed"],
        full_refresh=false,
        post_hook="{% do graph.pop('ticdc_exported_loads', none) %}",
    )
}}
{%- set loads = ticdc.initial_loads(this) | rejectattr("is_exported") | list -%}
{%- do ticdc.check_loads(loads) -%}
{%- set text_format = "yyyy-MM-dd HH:mm:ss.SSSSSS" -%}
{%- macro row_of(load, row) -%}
select
    {{ ticdc.text_literal(load.schema) }} as schema_name,
    {{ ticdc.text_literal(load.table) }} as table_name,
    cast({{ load.commit_ts }} as bigint) as commit_ts,
    {{ ticdc.text_literal(load.key_columns) }} as key_columns,
    {{ row }} as row,
    {{ ticdc.run_id() }} as run_id,
    {{ ticdc.text_literal(load.feed) }} as feed
{%- endmacro -%}

{%- for load in loads -%}
{# an export may have no rows: this one says that it was read #}
{{ row_of(load, "cast(null as string)") }}

union all

{{ row_of(load,
    "to_json(struct(*), map('ignoreNullFields', 'false', 'timeZone', 'UTC', 'timestampFormat', '" ~ text_format
    ~ "', 'timestampNTZFormat', '" ~ text_format ~ "'))") }}
from {{ load.relation }}
{{ "union all\n" if not loop.last }}
{%- else -%}
{{ row_of({"schema": "", "table": "", "commit_ts": 0, "key_columns": "", "feed": ""}, "''") }}
where false
{%- endfor -%}
