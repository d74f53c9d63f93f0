{% macro typed_storage(table, latest) %}
    {% set missing = table.generations | reject("in", table.stored_generations) | list %}
    {% set statements = [] %}
    {% if table.storage and not table.stored_generations %}
        {% set carried = ["row_key", "row is null as is_deleted", "generation"] %}
        {% do return(ticdc.new_storage(table.storage, ticdc.typed_rows(table, ticdc.rows_of(latest), missing, carried))) %}
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
