{% macro remember_typed_tables(relation, tables, known, state) %}
    {% set rows = {} %}
    {% for table in tables %}
        {% set made = {} %}
        {% for kind in table.statements %}{% do made.update({kind: table.relations[kind]}) %}{% endfor %}
        {% set plan = {
            "observed": table.observed,
            "seen": state.last,
            "storage": table.storage,
            "stored_generations": table.stored_generations,
            "statements": table.statements,
            "as_of_function": made.get("as_of_function"),
            "problems": table.problems,
            "refused": table.refused,
        } %}
        {% set keys = table.columns | selectattr("key") | sort(attribute="key") | map(attribute="name") | list %}
        {% do rows.update({(table.feed, table.schema_name, table.table_name): [
            table.feed, table.schema_name, table.table_name, table.table_id, tojson(keys), made.get("view"), made.get("history_view"),
            tojson(plan, sort_keys=true), table.table_incarnation,
        ]}) %}
    {% endfor %}
    {% set is_new = load_cached_relation(relation) is none %}
    {% set changed = rows.items() | rejectattr(0, "in", known) | list %}
    {% for key, row in rows.items() if key in known and known[key].row != row | map("string") | list %}{% do changed.append(key) %}{% endfor %}
    {% if not (is_new or changed or rows | length != known | length) %}{% do return(none) %}{% endif %}
    {% if is_new %}
        {% do run_query(
            "create table if not exists " ~ relation ~ " (feed string, schema_name string, table_name string, table_id string, "
            ~ "key_columns string, current_relation string, history_relation string, plan string, table_incarnation bigint) using " ~ config.get("file_format", "parquet")
            ~ tblproperties_clause()
        ) %}
    {% endif %}
    {% set values = [] %}
    {% for row in rows.values() %}
        {% set literals = [] %}
        {% for value in row %}
            {% do literals.append("null" if value is none else value if value is number else ticdc.text_literal(value)) %}
        {% endfor %}
        {% do values.append("(" ~ literals | join(", ") ~ ")") %}
    {% endfor %}
    {% do run_query(
        "insert overwrite table " ~ relation ~ " select * from "
        ~ ("values " ~ values | join(", ") if values else "(select '', '', '', '', '', '', '', '', 0) where false")
    ) %}
{% endmacro %}
