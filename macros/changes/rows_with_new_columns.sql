{% macro rows_with_new_columns(carried_rows, settled, through, late) %}
with

new_versions as (

    select
        feed,
        table_id,
        table_incarnation,
        valid_from_ts
    from {{ ticdc.catalogue_records("version") }} as table_versions
    where
        row_effect = 'columns'
        and {{ ticdc.ddl_range(settled, through, late, "feed", "valid_from_ts") }}

),

lineages as (

    {{ ticdc.lineages() }}

),

row_changes as (

    {{ ticdc.row_changes(carried_rows) }}

),

{{ ticdc.rows_to_project() }}

select
    {{ ticdc.carried_columns({
        "commit_ts": "rows.target_from_ts",
        "version_from_ts": "rows.target_from_ts",
        "op": "'update'",
        "apply_rank": "3",
        "row_key": "rows.row_key",
        "after": "rows.projected.row",
        "lossy": "rows.projected.lossy",
        "cause": "'new_columns'",
    }) }},
    {{ ticdc.run_id() }} as first_run_id
from rows
{% endmacro %}
