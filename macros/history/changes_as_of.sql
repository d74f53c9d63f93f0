{% macro changes_as_of(tso, row_changes) -%}
bounds as (

    {{ ticdc.bounds_as_of(tso) }}

),

row_changes as (

    select changes.*
    from {{ row_changes }} as changes
    inner join bounds
        on
            changes.feed = bounds.feed
            and changes.commit_ts <= bounds.as_of_ts

),

ranked as (

    select
        *,
        row_number() over (
            partition by {{ ticdc.row_key_columns() }} order by {{ ticdc.row_order("desc") }}
        ) as place
    from row_changes

)
{%- endmacro %}
