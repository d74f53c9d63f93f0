{#- halves of a split update have one key; of a table without key, other rows may be equal -#}
{%- set are_halves = "commit_ts_exact and not array_contains(lossy, '*:no_key')" -%}
{%- set changes = ref("int_ticdc__changes") -%}
{#- of a table of which a commit may have changed a key twice, by the publication; unit tests have none -#}
{%- set may_be_split -%}
{% if changes.schema is none -%}
true
{%- else -%}
{%- set tables = "(select states.split_tables from " ~ ref("int_ticdc__publication") ~ " as states)" -%}
(
        -- a constant, so that Spark plans no more than it needs
        size({{ tables }}) > 0
        and (
            array_contains({{ tables }}, struct(feed, table_id))
            or array_contains({{ tables }}, struct(feed, '' as table_id))
        )
    )
{%- endif %}
{%- endset -%}
{%- set columns = [
    "feed", "schema_name", "table_name", "table_id", "table_incarnation", "commit_ts", "commit_at", "commit_ts_exact",
] -%}
{%- set position = ["image_hash", "copy", "topic", "`partition`", "`offset`", "event_index"] -%}
with

changes_of_commits as (

    select
        *,
        max(op = 'delete' and {{ are_halves }}) over one_commit as has_delete,
        max(op <> 'delete') over one_commit as has_successor,
        max(first_run_id) over one_commit as last_run_id,
        max(if(op = 'delete' and {{ are_halves }}, before, null)) over one_commit as deleted_row,
        max(if(op = 'delete' and {{ are_halves }}, lossy, null)) over one_commit as deleted_lossy
    from {{ ticdc.published_rows(changes) }} as changes
    where {{ may_be_split }}
    window one_commit as (
        partition by feed, table_id, table_incarnation, commit_ts, row_key
    )

)

select
    {{ columns | join(",\n    ") }},
    if({{ are_halves }} and op = 'insert' and has_delete, 'update', op) as op,
    row_key,
    if({{ are_halves }} and has_delete, deleted_row, before) as before,
    after,
    if({{ are_halves }} and has_delete, array_union(deleted_lossy, lossy), lossy) as lossy,
    {{ position | join(",\n    ") }},
    if({{ are_halves }}, last_run_id, first_run_id) as run_id,
    timestamp_micros(if({{ are_halves }}, last_run_id, first_run_id)) as known_from
from changes_of_commits
-- TiCDC sends an update of a unique column as delete and insert: one commit changes a key once
where not ({{ are_halves }} and op = 'delete' and has_successor)

union all

-- of most tables no commit ever changed a key twice
select
    {{ columns | join(",\n    ") }},
    op,
    row_key,
    before,
    after,
    lossy,
    {{ position | join(",\n    ") }},
    first_run_id as run_id,
    timestamp_micros(first_run_id) as known_from
from {{ ticdc.published_rows(changes) }} as changes
where not {{ may_be_split }}
