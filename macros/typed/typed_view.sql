{% macro typed_view(table, state) %}
    select
        {{ ticdc.named_columns(table, ["commit_ts"]) }}
    from (
        {% if table.is_stored -%}
        {{ ticdc.merged_generations(table.storage, "row_key", "is_deleted", {"base": state.base, "last": table.generations | last}) }}
        {%- else -%}
        {{ ticdc.typed_rows(table, ref("ticdc__current_rows"), [], ["row_key"]) }}
        {%- endif %}
    )
{% endmacro %}
