{% macro merged_generations(relation, key, deleted, state) %}
    {%- set base, last = state.get("base"), state.get("last") -%}
    {%- if base == last -%}
    select *
    from {{ relation }}
    where generation = {{ base or 0 }} and not {{ deleted }}
    {%- else -%}
    select * except (place)
    from (
        select
            *,
            row_number() over (partition by {{ key }} order by generation desc) as place
        from {{ relation }}
        where generation > {{ base }} and generation <= {{ last }}
    )
    where place = 1 and not {{ deleted }}

    union all

    select known.*
    from {{ relation }} as known
    left anti join (
        select {{ key }}
        from {{ relation }}
        where generation > {{ base }} and generation <= {{ last }}
    ) as later
        -- `using` would put these columns before the others
        on {% for column in key.split(", ") %}known.{{ column }} = later.{{ column }}{{ " and " if not loop.last }}{% endfor %}
    where known.generation = {{ base }} and not {{ deleted }}
    {%- endif -%}
{% endmacro %}
