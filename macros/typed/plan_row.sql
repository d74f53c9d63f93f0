{% macro plan_row(table, is_pending) %}
    {% set made = {} %}
    {% for kind in table.made %}{% do made.update({kind: table.relations[kind]}) %}{% endfor %}
    {# a history that cannot be made is told of itself #}
    {% set unstored = table.get("unstored", []) if "history_view" not in table.refused else [] %}
    {% set plan = {
        "observed": table.observed,
        "seen": table.seen,
        "storage": table.storage,
        "history_storage": table.history_storage,
        "statements": {} if is_pending else table.made,
        "as_of_function": made.get("as_of_function"),
        "problems": table.problems + unstored,
        "refused": table.refused,
    } %}
    {# what the next run writes to its storages is made of #}
    {% if table.storage or table.history_storage %}
        {% do plan.update({"columns": table.columns, "past_columns": table.past_columns, "left_behind": table.left_behind}) %}
    {% endif %}
    {% do return([
        table.feed, table.schema_name, table.table_name, table.table_id, tojson(table.key_columns), made.get("view"), made.get("history_view"),
        tojson(plan, sort_keys=true), table.table_incarnation,
    ]) %}
{% endmacro %}
