{% macro add_batch(relation, is_anew=false, rebuilt=[]) %}
    {% set model = ticdc.state_of(relation) %}
    {% if is_anew %}{% do model.update({"batches": [], "since": {}}) %}{% endif %}
    {% for feed in rebuilt %}{% do model.since.update({feed: ticdc.run_id() | int}) %}{% endfor %}
    {% do model.batches.append([ticdc.run_id() | int, 0]) %}
{% endmacro %}
