{% macro decided_rows() -%}
{%- set with_same_id -%}
over (
            partition by
                feed, table_id, table_incarnation, ddl_commit_ts, partition_id,
                if(partition_id is null, row_key, null)
        )
{%- endset -%}
{{ ticdc.placed_rows() }},

-- rows of one id are in one partition: those that are certain tell it of the others
rows_with_neighbours as (

    select
        *,
        bool_and(is_in) {{ with_same_id }} as all_of_id_are_in,
        bool_or(is_in) {{ with_same_id }} as some_of_id_are_in
    from placed_rows

),

judged_rows as (

    select
        *,
        coalesce(is_in, if(all_of_id_are_in = some_of_id_are_in, all_of_id_are_in, null)) as is_known_to_move
    from rows_with_neighbours

),

decided_rows as (

    select
        *,
        coalesce(is_known_to_move, located.is_in, false) as is_moved,
        case
            -- without a definition all rows are in doubt: a problem of the DDL tells it
            when is_known_to_move is not null or coalesce(located.doubt, 'definition') = 'definition'
                then cast(array() as array<string>)
            else array('*:partition_' || located.doubt)
        end as doubts
    from judged_rows

)
{%- endmacro %}
