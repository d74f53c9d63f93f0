{% macro rows_to_project() -%}
{%- set identity = "feed, table_id, table_incarnation" -%}
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
{%- endmacro %}
