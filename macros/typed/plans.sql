{# Remembers what became of an answer, for `ticdc__tables` and the next run, and drops what no table needs any more. #}
{% macro remember_typed_tables() %}
    {# where some relations were not made, the next run decides and makes all of them again #}
    {% set typed, plans = ticdc.typed_context().decided, ref("int_ticdc__typed_plans") %}
    {% if typed.get("made", []) | length < 3 %}{% do return("") %}{% endif %}
    {% set answer = typed.answer %}
    {% for table in answer.tables %}
        {% for change in table.changes if change.problem %}
            {% do ticdc.note_problem(table, change, typed.existing) %}
        {% endfor %}
    {% endfor %}
    {% do ticdc.note_storages(answer.tables | map(attribute="stored_rows")) %}
    {% do ticdc.note_storages(answer.tables | map(attribute="history")) %}
    {% do ticdc.add_plans(plans, answer.tables + answer.gone) %}
    {% do ticdc.drop_stale_relations(answer, typed.existing) %}
    {% do ticdc.settle(plans, {"made": true}) %}
    {% do typed.clear() %}
{% endmacro %}

{# Notes in the plan of a table that a relation could not be made: what a run made before is there as it was. #}
{% macro note_problem(table, change, existing) %}
    {% set plan = table.row.plan %}
    {% do plan.problems.append(change.problem) %}
    {% do plan.refused.update({change.kind: plan.statements.pop(change.kind)}) %}
    {% if change.was and existing.get(change.key) %}
        {% do plan.statements.update({change.kind: change.was.statement}) %}
    {% else %}
        {% do (plan if change.kind == "as_of_function" else table.row).update({change.named_in: none}) %}
    {% endif %}
    {% if change.kind == "view" %}
        {% do plan.update(change.otherwise) %}
        {% do table.update({"stored_rows": none}) %}
    {% endif %}
{% endmacro %}

{# Adds the plans that changed to their table; of those that are pending, without what the next run makes of them where
   this one does not. #}
{% macro add_plans(relation, tables, is_pending=false) %}
    {% set changed = [] %}
    {% for table in tables %}
        {% set row, plan = dict(table.row), table.row.plan %}
        {% if plan %}
            {# a history that cannot be made is told of itself #}
            {% set unstored = table.get("unstored_for", []) if "history_view" not in plan.refused else [] %}
            {% set made, problems = {} if is_pending else plan.statements, plan.problems + unstored %}
            {% do row.update({"plan": tojson(dict(plan, problems=problems, statements=made), sort_keys=true)}) %}
        {% endif %}
        {% if row != table.known_row %}
            {% set values = [] %}
            {% for value in row.values() %}
                {% set told = "null" if value is none else value %}
                {% do values.append(ticdc.text_literal(value) if value is string else told) %}
            {% endfor %}
            {% do changed.append("(" ~ values | join(", ") ~ ")") %}
        {% endif %}
    {% endfor %}
    {% if load_cached_relation(relation) is none %}
        {% set texts = [
            "feed", "schema_name", "table_name", "table_id", "key_columns",
            "current_relation", "history_relation", "plan"
        ] %}
        {% do run_query(
            "create table if not exists " ~ relation ~ " (" ~ texts | join(" string, ") ~ " string,"
            ~ " table_incarnation bigint, batch_id bigint) using " ~ config.get("file_format", "parquet")
            ~ " partitioned by (batch_id) " ~ tblproperties_clause()
        ) %}
        {% do adapter.cache_added(relation) %}
    {% endif %}
    {% for some in ticdc.short_lists(changed) %}
        {% set rows = "select *, " ~ ticdc.run_id() ~ " from values " ~ some | join(", ") %}
        {% do run_query("insert into " ~ relation ~ " " ~ rows) %}
    {% endfor %}
{% endmacro %}

{# Drops the views and functions that no table needs any more, and leaves their storage to `sweep`. #}
{% macro drop_stale_relations(answer, existing) %}
    {% set state, blocks, storages = ticdc.state(), [], answer.storages %}
    {# a view that was refused reads the storage that it read before #}
    {% for table in answer.tables if table.row.plan.storage %}
        {% do storages.append(table.row.plan.storage) %}
    {% endfor %}
    {% for each in answer.stale %}
        {% if each.dropping %}
            {% do blocks.append({"place": 0, "statements": [each.dropping]}) if existing.get(each.key) %}
        {% elif each.relation not in storages %}
            {# readers may be in the middle of one that is no more: it goes with the next sweep #}
            {% do state.models.pop(each.name, none) %}
        {% endif %}
    {% endfor %}
    {% do ticdc.tried_statements(blocks) %}
    {% do state.update({"storages": storages | unique | list}) %}
{% endmacro %}
