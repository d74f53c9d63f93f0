{% macro changes_of_keyless_rows(columns, changes, carried_rows) -%}
    select
        {{ columns | join(",\n        ") }},
        commit_ts as row_commit_ts,
        'message' as cause,
        cast(null as struct<partition_name: string, commit_ts: bigint>) as exchanged
    from {{ changes }} as changes
    where array_contains(lossy, '*:no_key')

    union all

    select
        {% for column in columns -%}
        {#- of a copy that a DDL takes away, the key of all equal rows -#}
        {{ ticdc.key_of_keyless_row() if column == "row_key" else column }},
        {% endfor -%}
        row_commit_ts,
        cause,
        exchanged
    from {{ carried_rows }} as carried_rows
    where array_contains(lossy, '*:no_key')
{%- endmacro %}
