{% macro as_of(schema_name, table_name, tso=none, timestamp=none, feed=none) %}
    {% if (tso is none) == (timestamp is none) %}
        {% do exceptions.raise_compiler_error(
            "ticdc: as_of takes either a tso or a timestamp, such as timestamp='2026-11-21 05:16:47 UTC'"
        ) %}
    {% endif %}
    {% set moment = run_query(
        "select shiftleft(unix_millis(timestamp_ltz" ~ ticdc.text_literal(timestamp) ~ "), 18)"
    ).rows[0][0] | int if execute and tso is none else tso %}
    {# as a query in brackets is, it is a model, and stands after `from` #}
    (
        {{ ticdc.typed_as_of(schema_name, table_name, moment, feed) }}
        {# `dbt build --empty` limits what models read #}
        {{ "limit 0" if flags.EMPTY }}
    )
{% endmacro %}
