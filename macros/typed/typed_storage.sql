{% macro typed_storage(table, latest) %}
    {% set missing = table.generations | reject("in", table.stored_generations) | list %}
    {% set mark = ticdc.typed_mark() %}
    {% set statements = [] %}
    {% if table.storage and not table.stored_generations %}
        {% do statements.append("drop table if exists " ~ table.storage) %}
        {% do statements.append(
            "create table " ~ table.storage ~ " using " ~ config.get("file_format", "parquet") ~ options_clause() ~ " partitioned by (generation)"
            ~ " tblproperties ('" ~ mark.name ~ "' = '" ~ mark.value ~ "') as "
            ~ ticdc.typed_rows(table, ticdc.rows_of(latest), missing, ["row_key", "row is null as is_deleted", "generation"])
        ) %}
    {% elif table.storage %}
        {% for generation in missing %}
            {% do statements.append(
                "insert overwrite table " ~ table.storage ~ " partition (generation = " ~ generation ~ ") "
                ~ ticdc.typed_rows(table, ticdc.rows_of(latest), [generation], ["row_key", "row is null as is_deleted"])
            ) %}
        {% endfor %}
    {% endif %}
    {% do return(statements) %}
{% endmacro %}
