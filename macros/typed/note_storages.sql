{% macro note_storages(tables) %}
    {% set models = ticdc.state().models %}
    {% for table in tables if table.storage and table.generations %}
        {% set stored = [] %}
        {% for generation in table.generations %}{% do stored.append([generation, 0]) %}{% endfor %}
        {% do models.update({ticdc.storage_name(table.storage): {"batches": stored, "since": {}, "settled": {}}}) %}
    {% endfor %}
    {% for table in tables if table.history %}
        {% do models.update({ticdc.storage_name(table.history_storage): {
            "batches": table.history.batches, "since": {}, "settled": table.history.settled,
        }}) %}
    {% endfor %}
{% endmacro %}
