{% macro changes_as_of(tso, row_changes) %}
    select
        *,
        row_number() over (
            partition by {{ ticdc.row_key_columns() }} order by {{ ticdc.row_order("desc") }}
        ) as place
    from (
        select changes.*
        from {{ row_changes }} as changes
        inner join (
            {{ ticdc.bounds_as_of(tso) }}
        ) as bounds
            on
                changes.feed = bounds.feed
                and changes.commit_ts <= bounds.as_of_ts
    ) as changes
{% endmacro %}
