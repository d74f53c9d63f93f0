{% macro merge_batches(relation) %}
    {% set model = ticdc.memory().written[relation.identifier] %}
    {% for level in range(4) %}
        {% set ids = [] %}
        {% for batch_id, its_level in model.batches if its_level == level %}{% do ids.append(batch_id) %}{% endfor %}
        {% if ids | length >= 8 %}
            {% set merged = ticdc.run_id() | int + level + 1 %}
            {% do run_query(
                "insert into " ~ relation ~ " by name select * except (batch_id), " ~ merged ~ " as batch_id from " ~ relation
                ~ " where " ~ ticdc.is_of_batches(ids, model.since) ~ " " ~ ticdc.sorting()
            ) %}
            {% do model.update({"batches": model.batches | rejectattr(0, "in", ids) | list + [[merged, level + 1]]}) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
