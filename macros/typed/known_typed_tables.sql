{% macro known_typed_tables(relation) %}
    {% set known = {} %}
    {% if load_cached_relation(relation) is none %}{% do return(known) %}{% endif %}
    {% for row in run_query(
        "select feed, schema_name, table_name, table_id, key_columns, current_relation, history_relation, plan, table_incarnation from " ~ relation
    ).rows %}
        {% set plan = fromjson(row[7]) %}
        {% do known.update({(row[0], row[1], row[2]): {
            "row": row | map("string") | list,
            "relations": {"view": row[5], "history_view": row[6], "as_of_function": plan.as_of_function},
            "statements": plan.statements,
            "storage": plan.storage,
            "stored_generations": plan.stored_generations,
            "observed": {} if should_full_refresh() else plan.observed,
            "seen": none if should_full_refresh() else plan.seen,
        }}) %}
    {% endfor %}
    {% do return(known) %}
{% endmacro %}
