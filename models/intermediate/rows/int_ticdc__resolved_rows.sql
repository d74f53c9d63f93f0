{{
    config(
        materialized="ticdc_append",
        partition_by=["batch_id", "feed"],
    )
}}
-- depends_on: {{ ref("int_ticdc__waiting_rows") }}
{%- set staged_runs, catalogue = ref("int_ticdc__staged_runs"), ref("int_ticdc__catalogue") -%}
{%- set settled, bounds = ticdc.settled(), ref("int_ticdc__bounds") -%}
{%- set progress = ticdc.planned(bounds, [staged_runs, catalogue]) or settled -%}
{%- set schema_is_new = "named_schemas.run_id > " ~ settled.run_id -%}
{%- set some_wait = ticdc.is_keyed_anew() != "false" or ticdc.facts(staged_runs).some_wait -%}
{%- set is_new_or_named = ticdc.is_unsettled_event(settled, progress, schema_is_new, "waiting_rows.") %}
{%- set is_new = ticdc.is_unsettled_event(settled, progress, none, "waiting_rows.") %}
{%- set rebuilt = ticdc.feeds_to_rebuild(settled, progress) %}
{%- set of_message = [
    "topic", "`partition`", "`offset`", "event_index", "message_at", "commit_ts", "commit_ts_exact",
    "start_ts", "schema_name", "table_name", "physical_table_id", "op",
] %}
{{ ticdc.takes(progress, is_idle=not some_wait or is_new == "false", rebuilt=rebuilt) }}
{#- where no row waits, a run need not plan the joins nor start the function that would resolve them #}
{%- if not some_wait %}

select
    {{ of_message | join(",\n    ") }},
    row_key,
    before_key,
    before,
    after,
    row_id,
    table_schema_id,
    lossy,
    checksum_mismatch,
    run_id,
    feed
from {{ ref("int_ticdc__events") }}
where false
{%- else %}

with

waiting_rows as (

    select
        *,
        table_schema_id is not null and array_contains(lossy, '*:no_schema') as names_schema
    from {{ ref("int_ticdc__waiting_rows") }}
    where not waits_for_cells

),

named_schemas as (

    select
        feed,
        schema_name,
        table_name,
        table_schema_id,
        -- a text is given once or more for each id
        max(table_schema) as table_schema,
        min(run_id) as run_id
    from {{ ref("int_ticdc__events") }}
    where kind in ('ddl', 'bootstrap') and table_schema_id is not null
    group by feed, schema_name, table_name, table_schema_id

),

versions as (

    select * from {{ ticdc.catalogue_records("version") }} as table_versions

),

rows_with_schema as (

    -- a row that names its schema waits for it
    select
        waiting_rows.*,
        named_schemas.table_schema_id as known_schema_id,
        named_schemas.table_schema as known_schema,
        cast(array() as array<string>) as flags_that_stay,
        versions.key_columns,
        versions.keys_rows
    from waiting_rows
    inner join named_schemas
        on
            waiting_rows.feed = named_schemas.feed
            and waiting_rows.schema_name = named_schemas.schema_name
            and waiting_rows.table_name = named_schemas.table_name
            and waiting_rows.table_schema_id = named_schemas.table_schema_id
    left join versions
        on
            {{ ticdc.is_of_version("waiting_rows") }}
    where
        waiting_rows.names_schema
        and {{ is_new_or_named }}

    union all

    {{ ticdc.rows_with_version("waiting_rows", "not waiting_rows.names_schema and " ~ is_new) }}

),

resolved_rows as (

    select
        *,
        ticdc_resolve_row(
            protocol,
            known_schema,
            {{ ticdc.by_feed(ticdc.feeds(), "options") }},
            row_key,
            before_key,
            before,
            after,
            if(keys_rows, array_union(lossy, array('*:no_key')), lossy),
            checksum,
            key_columns
        ) as resolved
    from rows_with_schema

)

select
    {{ of_message | join(",\n    ") }},
    resolved.row_key,
    resolved.before_key,
    resolved.before,
    resolved.after,
    row_id,
    known_schema_id as table_schema_id,
    array_union(resolved.lossy, flags_that_stay) as lossy,
    resolved.checksum_mismatch,
    {{ ticdc.run_id() }} as run_id,
    feed
from resolved_rows
{%- endif %}
