{% macro typed_storage(table) %}
    {% if not table.storage %}{% do return([]) %}{% endif %}
    {% set rows, missing = ticdc.rows_of(ref("int_ticdc__latest")), table.generations | reject("in", table.stored_generations) | list %}
    {% set carried, statements = ["row_key", "row is null as is_deleted"], [] %}
    {% if not table.stored_generations %}
        {% set all_rows = ticdc.typed_rows(table, rows, missing, carried + ["generation"]) %}
        {% do return(["drop table if exists " ~ table.storage, ticdc.new_storage(table.storage, all_rows)]) %}
    {% endif %}
    {% for generation in missing %}
        {% do statements.append(ticdc.written_batch(table.storage, generation, ticdc.typed_rows(table, rows, [generation], carried))) %}
    {% endfor %}
    {% do return(statements) %}
{% endmacro %}
