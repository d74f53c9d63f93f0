{% macro typed_view(table) %}
    select
        {{ ticdc.named_columns(table, ["commit_ts"]) }}
    from (
        {% if table.is_stored -%}
        {{ ticdc.merged_generations(table.storage, "row_key", "is_deleted", {"base": table.base, "last": table.generations | last}) }}
        {%- else -%}
        {{ ticdc.typed_rows(table, ref("int_ticdc__newest_rows"), [], ["row_key"]) }}
        {%- endif %}
    )
{% endmacro %}
