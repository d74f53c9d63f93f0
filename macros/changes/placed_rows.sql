{% macro placed_rows() -%}
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

)
{%- endmacro %}
