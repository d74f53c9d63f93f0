{% macro new_plans(relation, rows) -%}
    {%- set texts = ["feed", "schema_name", "table_name", "table_id", "key_columns", "current_relation", "history_relation", "plan"] -%}
    create table if not exists {{ relation }}
    using {{ config.get("file_format", "parquet") }} partitioned by (batch_id) {{ tblproperties_clause() }}
    as select
        {% for name in texts -%}
        cast({{ name }} as string) as {{ name }},
        {% endfor -%}
        cast(table_incarnation as bigint) as table_incarnation,
        cast({{ ticdc.run_id() }} as bigint) as batch_id
    from values {{ rows | join(", ") or "(" ~ "null, " * texts | length ~ "null)" }} as plans({{ texts | join(", ") }}, table_incarnation)
    {{ "where false" if not rows }}
{%- endmacro %}
