{% macro generated_columns(table, relation, is_history) %}
    {% set meaning = {"_lossy": "Columns whose value is not known to be what TiDB holds, each with the reason."} %}
    {% if is_history %}
        {% do meaning.update({
            "_row_key": "The row's key as JSON text, with the names and types that it had then.",
            "_valid_from_ts": "The commit from which on the row held these values (TSO).",
            "_valid_to_ts": "The commit from which on it did not any more (TSO). NULL where it still does.",
            "_valid_from_at": "Time of the commit from which on the row held these values, to the millisecond.",
            "_valid_to_at": "Time of the commit from which on it did not any more, to the millisecond.",
            "_op": "What began the time: `insert`, `update` or `upsert`.",
            "_closed_by": "What ended the time: `update`, `delete`, or the kind of a DDL. NULL where nothing did.",
        }) %}
    {% else %}
        {% do meaning.update({"_commit_ts": "TSO of the last change of the row."}) %}
    {% endif %}
    {% set described = run_query("describe table " ~ relation).rows %}
    {% set names = described | map(attribute=0) | list %}
    {% if none in names %}
        {# dbt reads the name null, where it is a value, as nothing; to ask for the names themselves takes longer #}
        {% set names = adapter.get_column_schema_from_query("select * from " ~ relation ~ " where false") | map(attribute="name") | list %}
    {% endif %}
    {% set columns = [] %}
    {% set own = {} %}
    {% for name, row in zip(names, described) %}
        {% do columns.append({"name": name, "quoted": "`" ~ name.replace("`", "``") ~ "`", "type": "timestamp_ltz" if row[1] == "timestamp" else row[1]}) %}
        {# the columns of the package come last, and have more underscores where the table has such a column itself #}
        {% do own.update({"_" ~ name.lstrip("_"): name}) %}
    {% endfor %}
    {% for column in columns %}
        {% set wished = "_" ~ column.name.lstrip("_") %}
        {% set upstream = table.upstream.get(column.name | lower) %}
        {# dbt puts backticks around a name but does not double those within it #}
        {% set yml = {"name": ticdc.as_jinja(column.name.replace("`", "``")), "quote": true, "data_type": column.type} %}
        {% if wished in meaning and own[wished] == column.name %}
            {% do column.update({"own_name": wished[1:]}) %}
            {% do yml.update({"description": meaning[wished]}) %}
        {% elif not upstream and is_history %}
            {% do yml.update({"description": "A column that the table has no more."}) %}
        {% elif upstream %}
            {% do yml.update({"description": ticdc.as_jinja(
                "Upstream: `" ~ upstream.column_type ~ "`" ~ (", not null" if upstream.is_nullable is sameas false else "") ~ "."
            )}) %}
        {% endif %}
        {% if not is_history and column.name in table.key_columns %}
            {% do yml.update({"data_tests": ["not_null"] + (["unique"] if table.key_columns | length == 1 else [])}) %}
        {% endif %}
        {% do column.update({"yml": yml}) %}
    {% endfor %}
    {% do return(columns) %}
{% endmacro %}
