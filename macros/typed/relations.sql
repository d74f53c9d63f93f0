{# Makes the relations of one kind of what `int_ticdc__typed_plans` decided; gives the pairs of table and change. #}
{% macro make_typed_relations(kind) %}
    {# one that is built without the plans has nothing decided, and the next run decides it #}
    {% set context, changed, bases = ticdc.typed_context(), [], {} %}
    {% set typed = context.decided %}
    {% if not typed %}{% do return(changed) %}{% endif %}
    {% for table in typed.answer.tables %}
        {% for change in table.changes if change.kind == kind %}{% do changed.append((table, change)) %}{% endfor %}
    {% endfor %}
    {#- to make few is no dearer than to alter the base, and where a relation was there, readers would miss it #}
    {% if typed.answer.is_first and changed[20:] %}
        {% set read = {"view": "newest_rows", "history_view": "keyed_history", "as_of_function": "keyed_changes"} %}
        {% set base = ticdc.relation_of("int_ticdc__" ~ read[kind]) | string %}
        {% do bases.update({base: context.views[base]}) if base in context.views %}
    {% endif %}
    {% do ticdc.make_relations(changed, typed.existing, bases) %}
    {% do typed.made.append(kind) %}
    {% do return(changed) %}
{% endmacro %}

{# Makes relations; notes a problem of those that somebody else's stand in the way of, or that Spark refuses. #}
{% macro make_relations(changed, existing, bases={}) %}
    {% set blocks = [] %}
    {% for table, change in changed %}
        {% set not_ours = [] %}
        {% for key, name in change.names.items() if existing.get(key) is false %}
            {% do not_ours.append(name) %}
        {% endfor %}
        {% if not_ours and not change.problem %}
            {% do change.update({"problem": {"reason": "not_ours", "detail": not_ours | join(", ")}}) %}
        {% endif %}
        {% set stands, statements = existing.get(change.key), change.writing | list %}
        {% do statements.extend(table.history.statements) if change.kind == "history_storage" %}
        {% if change.is_other %}
            {% do statements.append((change.altering if stands else change.making) ~ change.query) %}
            {% do statements.append(change.marking) if stands == "unmarked" and change.marking %}
        {% endif %}
        {% do blocks.append({"place": loop.index0, "statements": statements}) if not change.problem %}
    {% endfor %}
    {% for place in ticdc.tried_statements(blocks, bases) %}
        {% do changed[place][1].update({"problem": {"reason": "refused", "detail": changed[place][1].relation}}) %}
    {% endfor %}
{% endmacro %}

{# What is there of the names that an answer asks for, by key: "marked", "unmarked" (made before there was a mark), or
   false where it is somebody else's. #}
{% macro existing_relations(answer, schemas) %}
    {% set mark, existing = ticdc.typed_mark(), {} %}
    {% for schema, names in answer.names.items() if schema in schemas %}
        {% set described = ticdc.described_relations(schema, names.relations) %}
        {% for key, text in described + ticdc.described_functions(schema, names.functions) %}
            {% set is_marked = mark.name ~ "=" ~ mark.value in text %}
            {% set otherwise = "unmarked" if key in answer.unmarked else false %}
            {% do existing.update({key: "marked" if is_marked else otherwise}) %}
        {% endfor %}
    {% endfor %}
    {% do return(existing) %}
{% endmacro %}

{# Of the tables and views of these names that are there: pairs of the key (`schema.name`) and the properties. #}
{% macro described_relations(schema, names) %}
    {% set described = [] %}
    {% if not names %}{% do return(described) %}{% endif %}
    {% set place = ticdc.identifier(schema) %}
    {% set there = run_query("show tables in " ~ place).rows | map(attribute=1) | map("lower") | list %}
    {# Derby cannot find a thousand names by one statement #}
    {% for some in names | unique | select("in", dict.fromkeys(there)) | batch(100) %}
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
    {% do return(described) %}
{% endmacro %}

{# Of the functions of these names, in lower case, that are there: pairs of the key (`schema.name()`) and what Spark
   says of it. #}
{% macro described_functions(schema, names) %}
    {% set described = [] %}
    {% if not names %}{% do return(described) %}{% endif %}
    {% set place, wanted = ticdc.identifier(schema), dict.fromkeys(names) %}
    {% set pattern = " like " ~ ticdc.text_literal(names[0]) if names | length == 1 else "" %}
    {% for row in run_query("show user functions in " ~ place ~ pattern).rows %}
        {% set plain = row[0].replace("`", "").split(".")[-1] %}
        {% if plain in wanted %}
            {% set name = place ~ "." ~ ticdc.identifier(plain) %}
            {% set text = run_query("describe function extended " ~ name).rows | map(attribute=0) | join %}
            {% do described.append((schema ~ "." ~ plain ~ "()", text)) %}
        {% endif %}
    {% endfor %}
    {% do return(described) %}
{% endmacro %}
