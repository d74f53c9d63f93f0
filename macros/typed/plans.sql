{# Remembers what became of an answer, for `ticdc__tables` and the next run, and drops the views and functions that no
   table needs any more; their storage is left to the next sweep. #}
{% macro remember_typed_tables() %}
    {# where some relations were not made, the next run decides and makes all of them again #}
    {% set typed, state, blocks = ticdc.typed_context().decided, ticdc.state(), [] %}
    {% if typed.get("made", []) | length < 3 %}{% do return("") %}{% endif %}
    {% set answer, existing, plans = typed.answer, typed.existing, ref("int_ticdc__typed_plans") %}
    {% set storages = answer.storages %}
    {% for table in answer.tables %}
        {% for change in table.changes if change.problem %}
            {% set stands = true if existing.get(change.key) else false %}
            {% do table.unmade.append(dict(change.unmade, problem=change.problem, stands=stands)) %}
            {% if change.kind == "view" %}
                {# a view that was refused reads the storage that it read before #}
                {% do storages.append(change.unmade.otherwise.storage) if change.unmade.otherwise.storage %}
                {% do table.update({"stored_rows": none}) %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% do ticdc.note_storages(answer.tables | map(attribute="stored_rows")) %}
    {% do ticdc.note_storages(answer.tables | map(attribute="history")) %}
    {% do ticdc.add_plans(plans, answer.tables + answer.gone) %}
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
    {% do ticdc.settle(plans, {"made": true}) %}
    {% do typed.clear() %}
{% endmacro %}

{# Adds the plans that changed to their table, as UDF `ticdc_remembered_plans` tells them of what was made, and makes
   the table where it is not there. Plans that are pending lack the statements: the next run makes these where this one
   does not. #}
{% macro add_plans(relation, tables, is_pending=false) %}
    {% set told, known = [], load_cached_relation(relation) %}
    {% for table in tables %}
        {% do told.append(tojson({
            "row": table.row, "known_row": table.known_row, "unmade": table.unmade,
            "unstored_for": table.unstored_for, "is_pending": is_pending,
        })) %}
    {% endfor %}
    {% for some in ticdc.short_lists(told) or ([] if known else [[]]) %}
        {% set texts = ticdc.text_literal("[" ~ some | join(", ") ~ "]") %}
        {% set rows = "select inline(plans) from (select ticdc_remembered_plans(" ~ texts ~ ") as plans)" %}
        {% do run_query(ticdc.batch_statement(known if loop.first else relation, relation, rows)) %}
    {% endfor %}
    {% do adapter.cache_added(relation) if not known %}
{% endmacro %}
