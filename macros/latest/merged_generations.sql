{% macro merged_generations(rows, key, deleted, batches) %}
    {%- set is_later -%}
    size({{ batches }}) > 1
    and generation > get({{ batches }}, 0)
    and array_contains({{ batches }}, generation)
    {%- endset -%}
    select * except (place)
    from (
        select
            *,
            row_number() over (partition by {{ key }} order by generation desc) as place
        from {{ rows }} as later_rows
        where {{ is_later }}
    ) as ranked
    where place = 1 and not {{ deleted }}

    union all

    select known.*
    from (
        select * from {{ rows }} as base_rows
        where generation = get({{ batches }}, 0) and not {{ deleted }}
    ) as known
    left anti join (
        select {{ key }}
        from {{ rows }} as later_rows
        where {{ is_later }}
    ) as later
        -- `using` would put these columns before the others
        on {% for column in key.split(", ") %}known.{{ column }} = later.{{ column }}{{ " and " if not loop.last }}{% endfor %}
{% endmacro %}
