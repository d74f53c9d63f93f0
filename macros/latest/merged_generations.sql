{% macro merged_generations(rows, key, deleted) %}
{%- set latest = ticdc.relation_name("int_ticdc__latest") %}
    with

    later_rows as (

        select * from {{ rows }} as all_rows
        where array_contains({{ ticdc.published_batches(latest, "later_batches") }}, generation)

    ),

    base_rows as (

        select * from {{ rows }} as all_rows
        where generation = get({{ ticdc.published_batches(latest) }}, 0) and not {{ deleted }}

    ),

    ranked as (

        select
            *,
            row_number() over (partition by {{ key }} order by generation desc) as place
        from later_rows

    )

    select * except (place) from ranked
    where place = 1 and not {{ deleted }}

    union all

    select base_rows.*
    from base_rows
    left anti join later_rows
        -- `using` would put these columns before the others
        on {% for column in key.split(", ") %}base_rows.{{ column }} = later_rows.{{ column }}{{ " and " if not loop.last }}{% endfor %}
{% endmacro %}
