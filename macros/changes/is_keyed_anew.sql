{% macro is_keyed_anew() %}
    {%- set versions = ref("int_ticdc__table_versions") -%}
    {%- set ranges = [] -%}
    {%- for row in ticdc.asked(
        "select feed, schema_key, table_key, rows_after_ts, rows_to_ts from " ~ ticdc.rows_of(versions)
        ~ " where keys_rows order by feed, schema_key, table_key, rows_after_ts",
        [versions]
    ) -%}
        {%- do ranges.append(
            "feed = " ~ ticdc.text_literal(row[0]) ~ " and lower(schema_name) = " ~ ticdc.text_literal(row[1])
            ~ " and lower(table_name) = " ~ ticdc.text_literal(row[2]) ~ " and commit_ts > " ~ row[3]
            ~ (" and commit_ts <= " ~ row[4] if row[4] is not none else "")
        ) -%}
    {%- endfor -%}
    {%- do return("coalesce((" ~ ranges | join(") or (") ~ "), false)" if ranges else "false") -%}
{% endmacro %}
