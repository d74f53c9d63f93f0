{% macro typed_view(table, state) %}
    {%- set names = table.columns | map(attribute="name") | map("lower") | list -%}
    create or replace view {{ table.relation }} as
    select
        {% for column in table.typed_columns -%}
        {{ column.stored_as }} as {{ ticdc.identifier(column.name) }},
        {% endfor -%}
        commit_ts as {{ ticdc.free_name("_commit_ts", names) }},
        lossy as {{ ticdc.free_name("_lossy", names) }}
    from (
        {% if table.is_stored -%}
        {{ ticdc.merged_generations(table.storage, "row_key", "is_deleted", {"base": state.base, "last": table.generations | last}) }}
        {%- else -%}
        {{ ticdc.typed_rows(table, ref("ticdc__current_rows"), [], ["row_key"]) }}
        {%- endif %}
    )
{% endmacro %}
