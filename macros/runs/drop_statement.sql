{% macro drop_statement(relation, column, batch) %}
    {% if config.get("file_format", "parquet") == "parquet" %}
        {% do return("alter table " ~ relation ~ " drop if exists partition (" ~ column ~ " = " ~ batch ~ ")") %}
    {% endif %}
    {% do return("delete from " ~ relation ~ " where " ~ column ~ " = " ~ batch) %}
{% endmacro %}
