{% macro make_relations(changed, standing, bases=[]) %}
    {% set blocks = [] %}
    {% for table, change in changed %}
        {% set not_ours = [] %}
        {% for key, name in change.names.items() if standing.get(key) is false %}{% do not_ours.append(name) %}{% endfor %}
        {% if not_ours and not change.problem %}{% do change.update({"problem": {"reason": "not_ours", "detail": not_ours | join(", ")}}) %}{% endif %}
        {% do blocks.append({"place": loop.index0, "statements": ticdc.making_statements(table, change, standing)}) if not change.problem %}
    {% endfor %}
    {% for place in ticdc.tried_statements(blocks, bases) %}
        {% do changed[place][1].update({"problem": {"reason": "refused", "detail": changed[place][1].relation}}) %}
    {% endfor %}
{% endmacro %}
