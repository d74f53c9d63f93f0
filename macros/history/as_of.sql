{% macro as_of(schema_name, table_name, tso=none, timestamp=none, feed=none) %}
    {% if (tso is none) == (timestamp is none) %}
        {% do exceptions.raise_compiler_error(
            "ticdc: as_of takes either a tso or a timestamp, such as timestamp='2026-11-21 05:16:47 UTC'"
        ) %}
    {% endif %}
    {% set moment = run_query(
        "select shiftleft(unix_millis(timestamp_ltz" ~ ticdc.text_literal(timestamp) ~ "), 18)"
    ).rows[0][0] | int if execute and tso is none else tso %}
    {% set catalogue, plans = ticdc.ref("int_ticdc__catalogue"), ticdc.ref("int_ticdc__typed_tables") %}
    {% set rows = "(" ~ ticdc.rows_as_of(moment) ~ ")" %}
    {# while dbt parses, and before the first build, the rows of all tables #}
    {% set query = "select * from " ~ rows %}
    {% if execute and load_cached_relation(catalogue) is not none %}
        {% set found = run_query(
            "select ticdc_typed_rows(to_json(struct(versions.feed, versions.table_id, versions.table_incarnation)), "
            ~ "ticdc_typed_columns(versions.table_schema, get_json_object(plans.plan, '$.observed')), "
            ~ ticdc.text_literal(rows) ~ ")"
            ~ " from " ~ ticdc.published_rows(catalogue) ~ " as versions left join " ~ plans ~ " as plans"
            ~ " on versions.feed = plans.feed and versions.table_id = plans.table_id"
            ~ " where versions.record = 'version'"
            ~ " and versions.schema_key = lower(" ~ ticdc.text_literal(schema_name) ~ ")"
            ~ " and versions.table_key = lower(" ~ ticdc.text_literal(table_name) ~ ")"
            ~ (" and versions.feed = " ~ ticdc.text_literal(feed) if feed else "")
            ~ " and versions.valid_from_ts <= " ~ moment ~ " and coalesce(versions.valid_to_ts > " ~ moment ~ ", true)"
        ).rows %}
        {% if found | length != 1 %}
            {% set unread = "; --empty reads no message that tells of one: build once without it" %}
            {% do exceptions.raise_compiler_error(
                "ticdc: " ~ (found | length or "no") ~ " feeds have the table " ~ schema_name ~ "." ~ table_name
                ~ " at commit " ~ moment ~ ("; as_of needs a feed" if found else unread if flags.EMPTY else "")
            ) %}
        {% endif %}
        {% set query = found[0][0] %}
    {% endif %}
    {# as a query in brackets is, it is a model, and stands after `from` #}
    (
        {{ query }}
        {# `dbt build --empty` limits what models read #}
        {{ "limit 0" if flags.EMPTY }}
    )
{% endmacro %}
