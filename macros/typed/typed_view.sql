{% macro typed_view(table) %}
    select
        {{ ticdc.named_columns(table, ["commit_ts"]) }}
    from (
        {% if table.storage -%}
        {{ ticdc.merged_generations(ticdc.stored_rows(table), "row_key", "is_deleted", ticdc.published_batches("int_ticdc__latest")) }}
        {%- else -%}
        {{ ticdc.typed_rows(table, ref("int_ticdc__newest_rows"), [], ["row_key"]) }}
        {%- endif %}
    )
{% endmacro %}
