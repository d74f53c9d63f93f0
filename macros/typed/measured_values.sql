{% macro measured_values(latest, seen) %}
with

{{ ticdc.bare_columns() }},

images as (

    select /*+ broadcast(column_lists) */
        latest.feed,
        latest.table_id,
        latest.table_incarnation,
        column_lists.column_names,
        {{ ticdc.image_of("map<string, string>") }} as image
    from {{ ticdc.rows_of(latest) }} as latest
    inner join column_lists
        on
            latest.feed = column_lists.feed
            and latest.table_id = column_lists.table_id
            and latest.table_incarnation = column_lists.table_incarnation
    where
        latest.generation > {{ seen }}
        and latest.row is not null
        and size(column_lists.column_names) > 0

),

digits as (

    select
        feed,
        table_id,
        table_incarnation,
        column_name,
        ltrim('-', try_element_at(image, column_name)) as text
    from images
    lateral view explode(column_names) names as column_name

)

select
    feed,
    table_id,
    table_incarnation,
    column_name,
    coalesce(max(length(split_part(text, '.', 1))), 0) as digits_before,
    coalesce(max(length(split_part(text, '.', 2))), 0) as digits_after
from digits
group by feed, table_id, table_incarnation, column_name
{% endmacro %}
