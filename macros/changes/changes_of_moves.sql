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
                    'op', if(is_moved, 'delete', 'update'),
                    'rank', if(is_moved, 2, 3),
                    'cause', if(is_moved, move_cause, 'kept'),
                    'of_table_id', table_id,
                    'of_incarnation', table_incarnation,
                    'of_version_ts', if(is_moved, ddl_commit_ts - 1, left_version_ts),
                    'key', row_key,
                    'old', projected.row,
                    'new', if(is_moved, null, projected.row),
                    'flags',
                    if(
                        is_moved,
                        -- with the row its older doubts are gone
                        concat(filter(lossy, each -> not startswith(each, '*:partition_')), doubts),
                        array_union(projected.lossy, doubts)
                    ),
                    'in_partition', if(is_moved, null, exchanged)
                ),
                named_struct(
                    'op', 'insert',
                    'rank', 3,
                    'cause', move_cause,
                    'of_table_id', if(is_moved, to_table_id, null),
                    'of_incarnation', to_incarnation,
                    'of_version_ts', to_version_from_ts,
                    'key', moved.row_key,
                    'old', cast(null as string),
                    'new', moved.row,
                    'flags', moved.lossy,
                    'in_partition',
                    case
                        when move_cause = 'key_change' then exchanged
                        when to_partition_name is not null
                            then named_struct('partition_name', to_partition_name, 'commit_ts', ddl_commit_ts)
                    end
                )
            ),
            each -> each.of_table_id is not null
        )
    ) exploded as change

)
{%- endmacro %}
