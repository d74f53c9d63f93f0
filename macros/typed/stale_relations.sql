{% macro stale_relations(tables, known) %}
    {% set wanted, stale = [], [] %}
    {% for table in tables %}
        {% for kind, relation in table.relations.items() %}{% do wanted.append(ticdc.relation_key(kind, relation)) %}{% endfor %}
        {% do wanted.append(ticdc.relation_key("storage", table.storage or "")) %}
    {% endfor %}
    {% set own_schemas = ticdc.own_schemas() | map("lower") | list %}
    {% for key, plan in known.items() if key[0] in ticdc.feeds() | map(attribute="name") %}
        {% for kind, relation in dict(plan.relations, storage=plan.storage).items()
            if relation and ticdc.relation_key(kind, relation) not in wanted %}
            {% set schema, name = relation.replace("`", "").lower().split(".") %}
            {# a model of the package may have the name of a typed table that it once wrote #}
            {% if kind == "storage" or schema not in own_schemas or not modules.re.match("(int_|stg_)?ticdc__", name) %}
                {% do stale.append({"kind": kind, "relation": relation, "storage": none}) %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% do return(stale) %}
{% endmacro %}
