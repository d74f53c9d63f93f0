{% macro changes_of_moves() -%}
rows as (

    select
        moved_rows.*,
        change
    from moved_rows
    lateral view explode(
        filter(
            array(
                named_struct(
                    'op', 'delete',
                    'rank', 2,
                    'of_table_id', table_id,
                    'of_incarnation', table_incarnation,
                    'of_version_ts', ddl_commit_ts - 1,
                    'key', row_key,
                    'old', projected.row,
                    'new', cast(null as string),
                    'flags', lossy
                ),
                named_struct(
                    'op', 'insert',
                    'rank', 3,
                    'of_table_id', to_table_id,
                    'of_incarnation', to_incarnation,
                    'of_version_ts', to_version_from_ts,
                    'key', moved.row_key,
                    'old', cast(null as string),
                    'new', moved.row,
                    'flags', moved.lossy
                )
            ),
            each -> each.of_table_id is not null
        )
    ) exploded as change

)
{%- endmacro %}
