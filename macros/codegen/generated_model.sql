{% macro generated_model(table, relation, is_history) %}
    {% set parts = [] %}
    {% for quoted, plain in modules.re.findall("`((?:[^`]|``)+)`|([^.`]+)", relation) %}
        {% do parts.append((quoted or plain).replace("``", "`")) %}
    {% endfor %}
    {% set schema, name = parts[-2:] %}
    {% set source_name = table.feed ~ "__" ~ schema %}
    {% set model_name = schema ~ "__" ~ name %}
    {# another schema and table may make the same name where the schema has underscores beside these #}
    {% if model_name.partition("__")[0] != schema %}
        {% set model_name = model_name ~ "_" ~ local_md5(relation)[:6] %}
    {% endif %}
    {% set description = "Rows of " ~ table.schema_name ~ "." ~ table.table_name ~ " upstream, from the feed " ~ table.feed
        ~ (": which values each held from when to when." if is_history else ", as they are now.") %}
    {% set columns = ticdc.generated_columns(table, relation, is_history) %}
    {% set own = {} %}
    {% for column in columns if column.own_name %}
        {% do own.update({column.own_name: column.name}) %}
    {% endfor %}
    {% set tests = [] %}
    {% if is_history %}
        {% do tests.append({"ticdc.history_intervals": {"arguments": {
            "key": [own.row_key], "valid_from": own.valid_from_ts, "valid_to": own.valid_to_ts, "closed_by": own.closed_by,
        }}}) %}
    {% elif table.key_columns | length > 1 %}
        {% set key = columns | selectattr("name", "in", table.key_columns) | map(attribute="quoted") | join(", ") %}
        {% do tests.append({"unique": {"arguments": {"column_name": "struct(" ~ key ~ ")"}}}) %}
    {% endif %}
    {% set selected = [] %}
    {% for column in columns %}
        {% do selected.append("    " ~ ticdc.as_jinja(column.quoted)) %}
    {% endfor %}
    {% do return({
        "name": model_name,
        "sql": "{% if ticdc is defined %}-- depends_on: {{ ref(\"ticdc\", \"ticdc__tables\") }}{% endif %}\nselect\n" ~ selected | join(",\n")
            ~ "\nfrom {{ source(" ~ ticdc.jinja_string(source_name) ~ ", " ~ ticdc.jinja_string(name) ~ ") }}\n",
        "yml": {
            "version": 2,
            "sources": [{
                "name": ticdc.as_jinja(source_name),
                "schema": ticdc.as_jinja(schema),
                "quoting": {"schema": true, "identifier": true},
                "tables": [{"name": ticdc.as_jinja(name), "description": ticdc.as_jinja(description)}],
            }],
            "models": [dict({
                "name": model_name,
                "description": ticdc.as_jinja(description),
                "config": {"contract": {"enforced": true}},
                "columns": columns | map(attribute="yml") | list,
            }, **({"data_tests": tests} if tests else {}))],
        },
    }) %}
{% endmacro %}
