{% macro add_batch(relation, is_anew=false, rebuilt=[]) %}
    {# beside the state until `settle`: models that run side by side save what it holds #}
    {% set model = fromjson(tojson(ticdc.state_of(relation))) %}
    {% if is_anew %}{% do model.update({"batches": [], "since": {}, "anew": ticdc.run_id() | int}) %}{% endif %}
    {% for feed in rebuilt %}{% do model.since.update({feed: ticdc.run_id() | int}) %}{% endfor %}
    {% do model.batches.append([ticdc.run_id() | int, 0]) %}
    {% do ticdc.memory().setdefault("written", {}).update({relation.identifier: model}) %}
{% endmacro %}
