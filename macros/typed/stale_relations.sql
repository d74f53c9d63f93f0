{% macro stale_relations(tables, known) %}
    {% set wanted, stale = {}, [] %}
    {% for table in tables %}
        {% for kind, relation in dict(table.relations, storage=table.storage, history_storage=table.history_storage).items() if relation %}
            {% do wanted.update({(kind == "as_of_function", relation.replace("`", "").lower()): true}) %}
        {% endfor %}
    {% endfor %}
    {% set feeds = ticdc.feeds() | map(attribute="name") | list %}
    {% set own_schemas = ticdc.own_schemas() | map("lower") | list %}
    {% for key, plan in known.items() if key[0] in feeds %}
        {% for kind, relation in dict(plan.relations, storage=plan.storage, history_storage=plan.history_storage).items()
            if relation and (kind == "as_of_function", relation.replace("`", "").lower()) not in wanted %}
            {% set schema, name = relation.replace("`", "").lower().split(".") %}
            {# a model of the package may have the name of a typed table that it once wrote #}
            {% if kind.endswith("storage") or schema not in own_schemas or not modules.re.match("(int_|stg_)?ticdc__", name) %}
                {% do stale.append({"kind": kind, "relation": relation, "storage": none}) %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% do return(stale) %}
{% endmacro %}
