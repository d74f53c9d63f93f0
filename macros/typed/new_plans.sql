{% macro new_plans(relation) -%}
    create table if not exists {{ relation }} (
        feed string,
        schema_name string,
        table_name string,
        table_id string,
        key_columns string,
        current_relation string,
        history_relation string,
        plan string,
        table_incarnation bigint,
        batch_id bigint
    ) using {{ config.get("file_format", "parquet") }} partitioned by (batch_id) {{ tblproperties_clause() }}
{%- endmacro %}
