{%- set given, feeds = var("ticdc__initial_loads", none), ticdc.feeds() | map(attribute="name") | list -%}
{%- set facts -%}
select
    ticdc_initial_loads(
        to_json(collect_list(struct(feed, schema_name, table_name, commit_ts, key_columns))),
        {{ ticdc.text_literals([tojson(given), tojson(feeds)]) }}
    ) as loads
from {rows}
where row is null
{%- endset -%}
{{
    config(
        materialized="ticdc_append",
        partition_by=["batch_id", "feed"],
        is_kept=true,
        facts=facts,
    )
}}
{%- set changes = ticdc.relation_of("int_ticdc__changes") -%}
{%- set known = ticdc.rows_of(this) if ticdc.has_rows() else "values ('', '', '', 0, '', '') as known (
    feed, schema_name, table_name, commit_ts, key_columns, row
)" -%}
{%- set query = facts.rpartition("{rows}") -%}
{%- set found = run_query(query[0] ~ known ~ query[2]).rows[0][0] if given and execute else "[]" -%}
{%- set loads = fromjson(found) | rejectattr("is_exported") | list -%}
{%- set late %}
select loads.id
from inline(
    from_json(
        {{ ticdc.text_literal(tojson(loads)) }}, 'array<struct<id: string, feed: string, commit_ts: bigint>>'
    )
) as loads
inner join (
    select feed, max(commit_ts) as last_commit_ts from {{ ticdc.rows_of(changes) if changes }} group by feed
) using (feed)
where last_commit_ts > loads.commit_ts
order by loads.id
{%- endset -%}
{%- set may_be_late = loads and changes and not ticdc.is_refresh() -%}
{%- set late = run_query(late).rows | map(attribute=0) | list if may_be_late else [] -%}
{%- if late -%}
    {%- do exceptions.raise_compiler_error(
        "ticdc: ticdc__initial_loads has what begins before commits that are built already, " ~ late | join(", ")
        ~ " (feed, schema, table, commit); build once with --full-refresh"
    ) -%}
{%- endif -%}
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
