{% macro standing_relations(relations, schemas, known) %}
    {% set mark = ticdc.typed_mark() %}
    {% set names, unmarked, standing = {}, [], {} %}
    {% for relation in relations %}
        {% for name in [relation.relation, relation.storage] if name %}
            {% set is_function = relation.kind == "as_of_function" %}
            {% set schema, plain = name.replace("`", "").lower().split(".") %}
            {% do names.setdefault(schema, {true: [], false: []})[is_function].append(plain) %}
        {% endfor %}
    {% endfor %}
    {# what a run made before there was a mark, when plans held the statements themselves #}
    {% for plan in known.values() %}
        {% for kind, statement in plan.statements.items() if " " in statement and mark.name not in statement %}
            {% do unmarked.append(ticdc.relation_key(kind, plan.relations[kind])) %}
        {% endfor %}
    {% endfor %}
    {% for schema, plain_names in names.items() if schema in schemas %}
        {% set found = ticdc.described_relations(schema, plain_names[false]) + ticdc.described_functions(schema, plain_names[true]) %}
        {% for key, text in found %}
            {% set is_marked = mark.name ~ "=" ~ mark.value in text %}
            {% do standing.update({key: "marked" if is_marked else "unmarked" if key in unmarked else false}) %}
        {% endfor %}
    {% endfor %}
    {% do return(standing) %}
{% endmacro %}
