{% macro fill_typed_table(table, latest) %}
    {% set missing = table.generations | reject("in", table.stored_generations) | list %}
    {% if not table.stored_generations %}
        {% do run_query("drop table if exists " ~ table.storage) %}
        {% do run_query(
            "create table " ~ table.storage ~ " using " ~ config.get("file_format", "parquet") ~ " partitioned by (generation) as "
            ~ ticdc.typed_rows(table, latest, missing, ["row_key", "row is null as is_deleted", "generation"])
        ) %}
    {% else %}
        {% for generation in missing %}
            {% do run_query(
                "insert overwrite table " ~ table.storage ~ " partition (generation = " ~ generation ~ ") "
                ~ ticdc.typed_rows(table, latest, [generation], ["row_key", "row is null as is_deleted"])
            ) %}
        {% endfor %}
    {% endif %}
    {% do table.update({"stored_generations": table.generations}) %}
{% endmacro %}
