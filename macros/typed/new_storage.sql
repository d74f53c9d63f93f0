{% macro new_storage(storage, rows) %}
    {% set mark = ticdc.typed_mark() %}
    {% do return([
        "drop table if exists " ~ storage,
        "create table " ~ storage ~ " using " ~ config.get("file_format", "parquet") ~ options_clause() ~ " partitioned by (generation)"
        ~ " tblproperties ('" ~ mark.name ~ "' = '" ~ mark.value ~ "') as " ~ rows,
    ]) %}
{% endmacro %}
