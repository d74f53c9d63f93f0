{% macro create_own_view(relation, fingerprint, sql) -%}
    {#- what dbt's own statement has, and the property, without which a view that is not finished would be somebody's -#}
    create or replace view {{ relation }}
    {%- if config.persist_column_docs() %} (
    {{ get_persist_docs_column_list(model.columns, get_columns_in_query(sql)) }}
    )
    {%- endif %}
    {{ comment_clause() }}
    tblproperties ('ticdc.fingerprint' = '{{ fingerprint }}')
    as
    {{ sql }}
{%- endmacro %}
