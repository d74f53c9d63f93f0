{% macro create_own_view(existing, relation, fingerprint, sql) -%}
    {#- what dbt's own statement has, and the property, without which a view that is not finished would be somebody's -#}
    {%- if existing is not none and not config.persist_column_docs() -%}
    {#- `create or replace` would drop it first, and readers would miss it -#}
    {%- do run_query("alter view " ~ relation ~ " set tblproperties ('ticdc.fingerprint' = '')") -%}
    alter view {{ relation }} as
    {{ sql }}
    {%- else -%}
    create or replace view {{ relation }}
    {%- if config.persist_column_docs() %} (
    {{ get_persist_docs_column_list(model.columns, get_columns_in_query(sql)) }}
    )
    {%- endif %}
    {{ comment_clause() }}
    tblproperties ('ticdc.fingerprint' = '{{ fingerprint }}')
    as
    {{ sql }}
    {%- endif %}
{%- endmacro %}
