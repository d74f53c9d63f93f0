{% macro check_source() %}
    {% do ticdc.memory().update({"timestamp_type": run_query("set spark.sql.timestampType").rows[0][1]}) %}
    {% set messages = source("ticdc", "messages").replace(limit=none) %}
    {% set found = {} %}
    {% for column in adapter.get_columns_in_relation(messages) %}
        {% do found.update({column.name | lower: column.dtype | lower}) %}
    {% endfor %}
    {% set problems = ticdc.source_problems(found) if found else ["no such table"] %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            "ticdc: the source " ~ messages ~ " (ticdc__messages_schema says where it is) does not fit:\n  - " ~ problems | join("\n  - ")
        ) %}
    {% endif %}
{% endmacro %}
