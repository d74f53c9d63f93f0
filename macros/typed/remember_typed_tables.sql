{% macro remember_typed_tables(relation, tables, is_pending=false) %}
    {% set changed = [] %}
    {% for table in tables %}
        {% set row = dict(table.row) %}
        {% if row.plan %}
            {# a history that cannot be made is told of itself #}
            {% set unstored = table.get("unstored_for", []) if "history_view" not in row.plan.refused else [] %}
            {% set plan = dict(row.plan, problems=row.plan.problems + unstored) %}
            {# the next run makes what is pending, where this one does not #}
            {% do row.update({"plan": tojson(dict(plan, statements={}) if is_pending else plan, sort_keys=true)}) %}
        {% endif %}
        {% if row != table.known_row %}
            {% set literals = [] %}
            {% for value in row.values() %}
                {% do literals.append("null" if value is none else value if value is number else ticdc.text_literal(value)) %}
            {% endfor %}
            {% do changed.append("(" ~ literals | join(", ") ~ ")") %}
        {% endif %}
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
