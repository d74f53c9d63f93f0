{% macro typed_view(table) %}
    {%- set columns = table.columns | map(attribute="stored_as") | list + ["commit_ts", "lossy"] -%}
    select
        {{ ticdc.named_columns(table, ["commit_ts"]) }}
    from (
        {% if table.storage -%}
        {{ ticdc.merged_generations(ticdc.stored_rows(table), "row_key", "is_deleted") }}
        {%- elif table.history_storage -%}
        select
            {{ columns | join(", ") }}
        from (
            {{ ticdc.stored_history(table, columns + ["valid_to_ts", "table_incarnation"]) }}
        )
        where
            valid_to_ts is null
            and table_incarnation = {{ table.table_incarnation }}
        {%- else -%}
        select
            {{ columns | join(", ") }}
        from (
            {{ ticdc.typed_rows(table, ticdc.base_of(table, "view"), [], ["row_key"]) }}
        )
        {%- endif %}
    )
{% endmacro %}
