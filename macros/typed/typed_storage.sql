{% macro typed_storage(table) %}
    {% if not table.storage %}{% do return([]) %}{% endif %}
    {% set rows, missing = ticdc.rows_of(ref("int_ticdc__latest")), table.generations | reject("in", table.stored_generations) | list %}
    {% set carried, statements = ["row_key", "row is null as is_deleted"], [] %}
    {% set keys = ticdc.stored_keys(table, table.columns) %}
    {% if not table.stored_generations %}
        {% set all_rows = ticdc.typed_rows(table, rows, missing, carried + ["generation"]) %}
        {% set sorted_rows = ticdc.sorted_rows(all_rows, ["generation"] + keys) %}
        {% do return(["drop table if exists " ~ table.storage, ticdc.new_storage(table.storage, sorted_rows)]) %}
    {% endif %}
    {% for generation in missing %}
        {% set of_generation = ticdc.typed_rows(table, rows, [generation], carried) %}
        {% do statements.append(ticdc.written_batch(table.storage, generation, ticdc.sorted_rows(of_generation, keys))) %}
    {% endfor %}
    {% do return(statements) %}
{% endmacro %}
