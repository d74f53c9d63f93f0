{% macro drop_partition(relation, column, value) %}
    {% set literal = ticdc.text_literal(value) if value is string else value %}
    {% if config.get("file_format", "parquet") == "parquet" %}
        {% do run_query("alter table " ~ relation ~ " drop if exists partition (" ~ column ~ " = " ~ literal ~ ")") %}
    {% else %}
        {% do run_query("delete from " ~ relation ~ " where " ~ column ~ " = " ~ literal) %}
    {% endif %}
{% endmacro %}
