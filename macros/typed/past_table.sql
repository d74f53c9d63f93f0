{% macro past_table(table, moment) %}
    {% if not table.versions %}{% do return(table) %}{% endif %}
    {% set columns = {} %}
    {% for column in table.typed_columns %}
        {% do columns.update({column.name | lower: {"name": column.name, "type": column.type, "spellings": [column.name], "encodings": []}}) %}
    {% endfor %}
    {% set present = columns | list %}
    {% for version in fromjson(table.versions) %}
        {% for column in fromjson(version.table_schema) %}
            {% set name = column.name | lower %}
            {% set past = columns.setdefault(name, {"spellings": [], "encodings": []}) %}
            {% if name not in present %}
                {% do past.update({"name": column.name, "type": ticdc.past_type(column.type)}) %}
            {% endif %}
            {% if column.name not in past.spellings %}{% do past.spellings.append(column.name) %}{% endif %}
            {% set is_base64 = ticdc.sql_type(column.type) == "binary" %}
            {% if not past.encodings or past.encodings[-1].is_base64 != is_base64 %}
                {% do past.encodings.append({"from_ts": version.from_ts, "is_base64": is_base64}) %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% set typed_columns = [] %}
    {% for column in columns.values() %}
        {% set value = ticdc.past_value(column) %}
        {% do typed_columns.append({
            "name": column.name,
            "stored_as": "c" ~ loop.index,
            "type": column.type,
            "value": value,
            "text": ticdc.past_text(column, value, moment),
        }) %}
    {% endfor %}
    {% do return(dict(table, columns=typed_columns, typed_columns=typed_columns)) %}
{% endmacro %}
