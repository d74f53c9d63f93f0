{# Makes relations, upon a `stub` where there is one; notes a problem of those that somebody else's stand in the way of,
   or that Spark refuses. #}
{% macro make_relations(changes, existing, stub=none) %}
    {% set blocks = [] %}
    {% for change in changes %}
        {% set stands, statements, not_ours = existing.get(change.key), change.writing | list, [] %}
        {% for key, name in change.names.items() if existing.get(key) is false %}
            {% do not_ours.append(name) %}
        {% endfor %}
        {% if not_ours and not change.problem %}
            {% do change.update({"problem": {"reason": "not_ours", "detail": not_ours | join(", ")}}) %}
        {% endif %}
        {% if change.is_other %}
            {% do statements.append((change.altering if stands else change.making) ~ change.query) %}
            {% do statements.append(change.marking) if stands == "unmarked" and change.marking %}
        {% endif %}
        {% do blocks.append({"place": loop.index0, "statements": statements}) if not change.problem %}
    {% endfor %}
    {% for place in ticdc.tried_statements(blocks, stub) %}
        {% do changes[place].update({"problem": {"reason": "refused", "detail": changes[place].relation}}) %}
    {% endfor %}
{% endmacro %}

{# What is there of the names that an answer asks for, by key: "marked", "unmarked" (made before there was a mark), or
   false where it is somebody else's. A key is `schema.name`, that of a function `schema.name()`. #}
{% macro existing_relations(answer, schemas) %}
    {% set described, existing = [], {} %}
    {% for schema, names in answer.names.items() if schema in schemas %}
        {% set place = ticdc.identifier(schema) %}
        {% set found = run_query("show tables in " ~ place).rows if names.relations else [] %}
        {% set there = dict.fromkeys(found | map(attribute=1) | map("lower")) %}
        {# Derby cannot find a thousand names by one statement #}
        {% for some in names.relations | unique | select("in", there) | batch(100) %}
            {% set pattern = "'" ~ some | join("|") ~ "'" %}
            {% for row in run_query("show table extended in " ~ place ~ " like " ~ pattern).rows if row[0] %}
                {% set name = place ~ "." ~ ticdc.identifier(row[1]) %}
                {% set properties = modules.re.findall("(?m)^Table Properties: (.*)", row[3]) %}
                {% if "Provider: delta" in row[3] %}
                    {% set properties = [] %}
                    {% for property in run_query("show tblproperties " ~ name).rows %}
                        {% do properties.append(property | join("=")) %}
                    {% endfor %}
                {% endif %}
                {% do described.append((schema ~ "." ~ row[1] | lower, properties | join)) %}
            {% endfor %}
        {% endfor %}
        {% set pattern = " like " ~ ticdc.text_literal(names.functions[0]) if names.functions | length == 1 else "" %}
        {% for row in (run_query("show user functions in " ~ place ~ pattern).rows if names.functions else []) %}
            {% set plain = row[0].replace("`", "").split(".")[-1] %}
            {% if plain in names.functions %}
                {% set name = place ~ "." ~ ticdc.identifier(plain) %}
                {% set text = run_query("describe function extended " ~ name).rows | map(attribute=0) | join %}
                {% do described.append((schema ~ "." ~ plain ~ "()", text)) %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% for key, text in described %}
        {% set otherwise = "unmarked" if key in answer.unmarked else false %}
        {% do existing.update({key: "marked" if answer.mark in text else otherwise}) %}
    {% endfor %}
    {% do return(existing) %}
{% endmacro %}
