{% macro typed_view(table) %}
    {%- set mark = ticdc.typed_mark() -%}
    create or replace view {{ table.relations.view }}
    tblproperties ('{{ mark.name }}' = '{{ mark.value }}') as
    select
        {{ ticdc.named_columns(table, ["commit_ts"]) }}
    from (
        {% if table.is_stored -%}
        {{ ticdc.merged_generations(table.storage, "row_key", "is_deleted", ticdc.published_batches("int_ticdc__latest")) }}
        {%- else -%}
        {{ ticdc.typed_rows(table, ref("ticdc__current_rows"), [], ["row_key"]) }}
        {%- endif %}
    )
{% endmacro %}
