{% macro new_storage(storage, rows) -%}
    create table {{ storage }} using {{ config.get("file_format", "parquet") }}{{ options_clause() }} partitioned by (generation)
    {{ ticdc.typed_properties() }} as {{ rows }}
{%- endmacro %}
