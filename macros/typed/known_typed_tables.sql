{% macro known_typed_tables(relation) %}
    {% set known = {} %}
    {% for row in ticdc.rows_if_built(relation, ticdc.newest_plans(relation)) %}
        {% set plan = fromjson(row[7]) %}
        {% do known.update({(row[0], row[1], row[2]): {
            "row": row | map("string") | list,
            "relations": {"view": row[5], "history_view": row[6], "as_of_function": plan.as_of_function},
            "statements": plan.statements,
            "storage": plan.storage,
            "history_storage": plan.history_storage,
            "stored_generations": ticdc.stored_generations(plan.storage),
            "key_columns": fromjson(row[4]),
            "columns": plan.columns,
            "past_columns": plan.past_columns,
            "left_behind": plan.left_behind,
            "observed": {} if should_full_refresh() else plan.observed,
            "seen": none if should_full_refresh() else plan.seen,
        }}) %}
    {% endfor %}
    {% do return(known) %}
{% endmacro %}
