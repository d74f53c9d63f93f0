{% macro table_as_of(schema_name, table_name, tso, feed) %}
    {% set catalogue = ticdc.ref("int_ticdc__catalogue") %}
    {% set plans = ticdc.ref("int_ticdc__typed_tables") %}
    {% if not execute or load_cached_relation(catalogue) is none %}{% do return(none) %}{% endif %}
    {% set found = run_query(
        "select to_json(struct(versions.feed, versions.table_id, versions.table_incarnation)), "
        ~ "ticdc_typed_columns(versions.table_schema, get_json_object(plans.plan, '$.observed'))"
        ~ " from " ~ ticdc.published_rows(catalogue) ~ " as versions left join " ~ plans ~ " as plans"
        ~ " on versions.feed = plans.feed and versions.table_id = plans.table_id"
        ~ " where versions.record = 'version' and versions.schema_key = lower(" ~ ticdc.text_literal(schema_name) ~ ")"
        ~ " and versions.table_key = lower(" ~ ticdc.text_literal(table_name) ~ ")"
        ~ (" and versions.feed = " ~ ticdc.text_literal(feed) if feed else "")
        ~ " and versions.valid_from_ts <= " ~ tso ~ " and coalesce(versions.valid_to_ts > " ~ tso ~ ", true)"
    ).rows %}
    {% if found | length != 1 %}
        {% do exceptions.raise_compiler_error(
            "ticdc: " ~ (found | length or "no") ~ " feeds have the table " ~ schema_name ~ "." ~ table_name ~ " at commit " ~ tso
            ~ ("; as_of needs a feed" if found else "; --empty reads no message that tells of one: build once without it" if flags.EMPTY else "")
        ) %}
    {% endif %}
    {% do return(dict(fromjson(found[0][0]), columns=fromjson(found[0][1]))) %}
{% endmacro %}
