{% macro rows_with_new_columns(carried_rows, settled, through) %}
{%- set identity = "feed, table_id, table_incarnation" -%}
with

new_versions as (

    select
        {{ identity }},
        valid_from_ts
    from {{ ticdc.rows_of(ref("int_ticdc__table_versions")) }}
    where
        row_effect = 'columns'
        and {{ ticdc.ddl_range(settled, through, "feed", "valid_from_ts") }}

),

lineages as (

    {{ ticdc.lineages() }}

),

row_changes as (

    {{ ticdc.row_changes(carried_rows) }}

),

followed as (

    select
        *,
        lead(version_from_ts) over (
            partition by {{ ticdc.row_key_columns() }} order by {{ ticdc.row_order() }}
        ) as next_version_from_ts
    from row_changes
    left semi join new_versions using ({{ identity }})
    where cause <> 'new_columns'

),

rows as (

    select
        followed.*,
        new_versions.valid_from_ts as target_from_ts,
        ticdc_project_row(
            followed.after,
            {{ ticdc.version_chain("lineages.versions", "followed.version_from_ts", "new_versions.valid_from_ts") }},
            followed.lossy
        ) as projected
    from followed
    inner join new_versions using ({{ identity }})
    inner join lineages using ({{ identity }})
    where
        followed.after is not null
        and followed.version_from_ts < new_versions.valid_from_ts
        and coalesce(followed.next_version_from_ts >= new_versions.valid_from_ts, true)

)

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
    }) }}
from rows
{% endmacro %}
