{% macro remember_typed_tables(relation, tables, known, is_pending=false) %}
    {% set rows = {} %}
    {% for table in tables %}
        {% do rows.update({(table.feed, table.schema_name, table.table_name): ticdc.plan_row(table, is_pending)}) %}
    {% endfor %}
    {% for key in known if key not in rows and not is_pending %}
        {% do rows.update({key: key | list + [none] * 6}) %}
    {% endfor %}
    {% set changed = [] %}
    {% for key, row in rows.items() if should_full_refresh() or key not in known or known[key].row != row | map("string") | list %}
        {% set literals = [] %}
        {% for value in row %}
            {% do literals.append("null" if value is none else value if value is number else ticdc.text_literal(value)) %}
        {% endfor %}
        {% do changed.append("(" ~ literals | join(", ") ~ ")") %}
    {% endfor %}
    {% if load_cached_relation(relation) is none %}
        {% do run_query(
            "create table if not exists " ~ relation ~ " (feed string, schema_name string, table_name string, table_id string, key_columns string, "
            ~ "current_relation string, history_relation string, plan string, table_incarnation bigint, batch_id bigint) using "
            ~ config.get("file_format", "parquet") ~ " partitioned by (batch_id)" ~ tblproperties_clause()
        ) %}
        {% do adapter.cache_added(relation) %}
    {% endif %}
    {% for some in ticdc.short_lists(changed) %}
        {% do run_query("insert into " ~ relation ~ " select *, " ~ ticdc.run_id() ~ " from values " ~ some | join(", ")) %}
    {% endfor %}
{% endmacro %}
