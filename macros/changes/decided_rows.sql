{% macro decided_rows() -%}
{%- set with_same_id -%}
over (
            partition by
                feed, table_id, table_incarnation, ddl_commit_ts, partition_id,
                if(partition_id is null, row_key, null)
        )
{%- endset -%}
-- where an exchange brought a row comes before any reading of values
placed_rows as (

    select
        *,
        case
            when partition_names is null then true
            when exchanged is not null then array_contains(partition_names, lower(exchanged.partition_name))
            when located.doubt is null then located.is_in
        end as is_in,
        -- an id stays with the rows of a partition until their values decide anew
        if(
            physical_table_id <=> physical_id
            or exists(
                regrouped,
                each -> each.commit_ts >= row_commit_ts
                and coalesce(each.partition_name = lower(located.partition_name), true)
            ),
            null,
            physical_table_id
        ) as partition_id
    from located_rows

),

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
