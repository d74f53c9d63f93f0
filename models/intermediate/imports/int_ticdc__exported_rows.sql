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

{%- for load in loads -%}
{# an export may have no rows: this one says that it was read #}
{{ ticdc.exported_row(load, "cast(null as string)") }}

union all

{{ ticdc.exported_row(load,
    "to_json(struct(*), map('ignoreNullFields', 'false', 'timeZone', 'UTC', 'timestampFormat', '" ~ text_format
    ~ "', 'timestampNTZFormat', '" ~ text_format ~ "'))") }}
from {{ load.relation }}
{{ "union all\n" if not loop.last }}
{%- else -%}
{%- do ticdc.nothing_new() -%}
{{ ticdc.exported_row({"schema": "", "table": "", "commit_ts": 0, "key_columns": "", "feed": ""}, "''") }}
where false
{%- endfor -%}
