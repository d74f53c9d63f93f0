{% macro measured_values(latest, bare_columns, seen) %}
with

bare_columns as (

    select * from values {{ bare_columns | join(", ") }}
        as bare (feed, schema_name, table_name, column_name)

),

column_lists as (

    select
        feed,
        schema_name,
        table_name,
        collect_list(column_name) as column_names
    from bare_columns
    group by feed, schema_name, table_name

),

images as (

    select /*+ broadcast(column_lists) */
        latest.feed,
        latest.schema_name,
        latest.table_name,
        column_lists.column_names,
        from_json(latest.row, 'map<string, string>') as image
    from {{ latest }} as latest
    inner join column_lists
        on
            latest.feed = column_lists.feed
            and latest.schema_name = column_lists.schema_name
            and latest.table_name = column_lists.table_name
    where latest.generation > {{ seen }} and latest.row is not null

),

digits as (

    select
        feed,
        schema_name,
        table_name,
        column_name,
        ltrim('-', try_element_at(image, column_name)) as text
    from images
    lateral view explode(column_names) names as column_name

)

select
    feed,
    schema_name,
    table_name,
    column_name,
    coalesce(max(length(split_part(text, '.', 1))), 0) as digits_before,
    coalesce(max(length(split_part(text, '.', 2))), 0) as digits_after
from digits
group by feed, schema_name, table_name, column_name
{% endmacro %}
