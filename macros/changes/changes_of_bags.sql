{% macro changes_of_bags(columns, changes, carried_rows) -%}
    select
        {{ columns | join(",\n        ") }},
        commit_ts as row_commit_ts,
        'message' as cause
    from {{ changes }} as changes
    where array_contains(lossy, '*:no_key')

    union all

    select
        {% for column in columns -%}
        {#- of a copy that a DDL takes away, the key of its bag -#}
        {{ ticdc.key_of_bag() if column == "row_key" else column }},
        {% endfor -%}
        row_commit_ts,
        cause
    from {{ carried_rows }} as carried_rows
    where array_contains(lossy, '*:no_key')
{%- endmacro %}
