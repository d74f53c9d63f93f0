{% macro tables_to_store(plans, query) %}
    {% set state, known, tables = ticdc.state(), {}, [] %}
    {% set published = {"models": fromjson(ticdc.memory().published)} %}
    {% set is_published = ticdc.rows_of_histories(published) == ticdc.rows_of_histories(state) %}
    {% if is_published or not plans %}{% do return([]) %}{% endif %}
    {% for plan in ticdc.known_typed_tables(plans).values() if plan.columns %}
        {% do known.update({(plan.row[0], plan.row[3], plan.row[8]): plan}) %}
    {% endfor %}
    {% for row in (run_query(query).rows if known else []) if (row[0], row[1], row[2] | string) in known and not row[6] %}
        {% set plan = known[(row[0], row[1], row[2] | string)] %}
        {% set table = dict(plan, feed=row[0], table_id=row[1], table_incarnation=row[2] | int, generations=fromjson(row[3]), lives=row[4]) %}
        {# one that was never written, or that somebody dropped, is made with the relations that read it #}
        {% for kind in ["storage", "history_storage"] if table[kind] %}
            {% set stands = adapter.get_relation(database=plans.database, schema=plans.schema, identifier=ticdc.storage_name(table[kind])) %}
            {% do table.update({kind: none}) if not stands or not ticdc.stored_generations(table[kind]) %}
        {% endfor %}
        {% do table.update({"last_generation": row[5] | int, "is_keyless": false, "history": none}) %}
        {% do table.update({"history": ticdc.history_to_store(table, table.history_storage)}) if table.history_storage %}
        {% do tables.append(table) %}
    {% endfor %}
    {% do return(tables) %}
{% endmacro %}
