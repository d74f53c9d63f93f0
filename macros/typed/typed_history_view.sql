{% macro typed_history_view(table) %}
    {%- set past, carried = ticdc.past_of(table), ticdc.history_columns() -%}
    {%- set columns = past.columns | map(attribute="stored_as") | list + carried + ["commit_ts", "lossy"] -%}
    select
        {{ ticdc.named_columns(past, carried) }}
    from (
        {% if table.history_storage -%}
        {{ ticdc.stored_history(table, columns) }}
        {%- else -%}
        select
            {{ columns | join(", ") }}
        from (
            {{ ticdc.typed_rows(past, ticdc.base_of(table, "history_view"), [], carried, "valid_from_ts") }}
        )
        {%- endif %}
    )
{% endmacro %}
