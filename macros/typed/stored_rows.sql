{% macro stored_rows(table) %}
    {%- set latest, stored = ref("int_ticdc__latest"), ticdc.stored_batches(table.storage) -%}
    {%- set not_stored = "array_except(" ~ ticdc.published_batches(ticdc.relation_name("int_ticdc__latest")) ~ ", " ~ stored ~ ")" -%}
    {%- set rows -%}
    (
        select
            * except (commit_ts),
            row_commit_ts as commit_ts
        from {{ ticdc.published_rows(latest) }} as latest
        -- what is published is stored a moment later
        where size({{ not_stored }}) > 0 and array_contains({{ not_stored }}, generation)
    )
    {%- endset -%}
    {%- set columns -%}
    {% for column in table.columns %}{{ column.stored_as }}, {% endfor %}row_key, is_deleted, generation, commit_ts, lossy
    {%- endset -%}
    (
        select {{ columns }}
        from {{ table.storage }}
        where array_contains({{ stored }}, generation)

        union all

        select {{ columns }}
        from (
            {{ ticdc.typed_rows(table, rows, [], ["row_key", "row is null as is_deleted", "generation"]) }}
        )
    )
{% endmacro %}
