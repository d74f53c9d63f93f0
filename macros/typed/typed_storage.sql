{% macro typed_storage(table) %}
    {% set rows, missing = ticdc.rows_of(ref("int_ticdc__latest")), table.generations | reject("in", table.stored_generations) | list %}
    {% set statements = [] %}
    {% if table.storage and not table.stored_generations %}
        {% set carried = ["row_key", "row is null as is_deleted", "generation"] %}
        {% do return(ticdc.new_storage(table.storage, ticdc.typed_rows(table, rows, missing, carried))) %}
    {% elif table.storage %}
        {% for generation in missing %}
            {% do statements.append(
                "insert overwrite table " ~ table.storage ~ " partition (generation = " ~ generation ~ ") "
                ~ ticdc.typed_rows(table, rows, [generation], ["row_key", "row is null as is_deleted"])
            ) %}
        {% endfor %}
    {% endif %}
    {% do return(statements) %}
{% endmacro %}
