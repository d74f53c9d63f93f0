{% macro standing_relations(relations, schemas, known) %}
    {% set mark = ticdc.typed_mark() %}
    {% set names, adopted, standing = {}, [], {} %}
    {% for relation in relations %}
        {% for name in [relation.relation, relation.storage] if name %}
            {% set is_function = relation.kind == "as_of_function" %}
            {% set schema, plain = name.replace("`", "").lower().split(".") %}
            {% do names.setdefault(schema, {true: [], false: []})[is_function].append(plain) %}
        {% endfor %}
    {% endfor %}
    {# what a run made before there was a mark #}
    {% for plan in known.values() %}
        {% for kind, statement in plan.statements.items() if mark.name not in statement %}
            {% do adopted.append(ticdc.relation_key(kind, plan.relations[kind])) %}
        {% endfor %}
        {% do adopted.append(ticdc.relation_key("storage", plan.storage or "")) %}
    {% endfor %}
    {% for schema, plain_names in names.items() if schema in schemas %}
        {% set place = ticdc.identifier(schema) %}
        {% set found = [] %}
        {% if plain_names[false] %}
            {% for row in run_query("show table extended in " ~ place ~ " like '" ~ plain_names[false] | unique | join("|") ~ "'").rows if row[0] %}
                {% set name = place ~ "." ~ ticdc.identifier(row[1]) %}
                {% set properties = modules.re.findall("(?m)^Table Properties: (.*)", row[3]) %}
                {% if "Provider: delta" in row[3] %}
                    {% set properties = [] %}
                    {% for property in run_query("show tblproperties " ~ name).rows %}{% do properties.append(property | join("=")) %}{% endfor %}
                {% endif %}
                {% do found.append((ticdc.relation_key("view", name), properties | join)) %}
            {% endfor %}
        {% endif %}
        {% if plain_names[true] %}
            {% for row in run_query("show user functions in " ~ place ~ " like '" ~ plain_names[true] | unique | join("|") ~ "'").rows %}
                {% set name = place ~ "." ~ ticdc.identifier(row[0].replace("`", "").split(".")[-1]) %}
                {% set described = run_query("describe function extended " ~ name).rows | map(attribute=0) | join %}
                {% do found.append((ticdc.relation_key("as_of_function", name), described)) %}
            {% endfor %}
        {% endif %}
        {% for key, text in found %}
            {% do standing.update({key: key in adopted or mark.name ~ "=" ~ mark.value in text}) %}
        {% endfor %}
    {% endfor %}
    {% do return(standing) %}
{% endmacro %}
