{% macro remember_typed_tables(relation, tables) %}
    {% set rows = [] %}
    {% set state = ticdc.settled(ref("int_ticdc__latest")) %}
    {% for table in tables %}
        {% set plan = {
            "observed": table.observed,
            "seen": state.last,
            "storage": table.storage,
            "stored_generations": table.stored_generations,
            "statements": table.statements,
            "as_of_function": table.as_of_function,
        } %}
        {% set keys = table.columns | selectattr("key") | sort(attribute="key") | map(attribute="name") | list %}
        {% set literals = [] %}
        {% for text in [
            table.feed, table.schema_name, table.table_name, table.table_id, tojson(keys), table.relation, table.history_relation, tojson(plan, sort_keys=true),
        ] %}
            {% do literals.append(ticdc.text_literal(text)) %}
        {% endfor %}
        {% do rows.append("(" ~ literals | join(", ") ~ ", " ~ table.table_incarnation ~ ")") %}
    {% endfor %}
    {% if load_cached_relation(relation) is none %}
        {% do run_query(
            "create table if not exists " ~ relation ~ " (feed string, schema_name string, table_name string, table_id string, "
            ~ "key_columns string, current_relation string, history_relation string, plan string, table_incarnation bigint) using " ~ config.get("file_format", "parquet")
        ) %}
    {% endif %}
    {% do run_query(
        "insert overwrite table " ~ relation ~ " select * from "
        ~ ("values " ~ rows | join(", ") if rows else "(select '', '', '', '', '', '', '', '', 0) where false")
    ) %}
{% endmacro %}
