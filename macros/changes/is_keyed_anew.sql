{% macro is_keyed_anew() %}
    {%- set versions = ref("int_ticdc__table_versions") -%}
    {%- set ranges = {} -%}
    {%- for row in ticdc.asked(
        "select feed, schema_key, table_key, rows_after_ts, rows_to_ts from " ~ ticdc.rows_of(versions)
        ~ " where keys_rows order by feed, schema_key, table_key, rows_after_ts",
        [versions]
    ) -%}
        {%- do ranges.setdefault(row[0], []).append({"schema_key": row[1], "table_key": row[2], "after_ts": row[3], "to_ts": row[4]}) -%}
    {%- endfor -%}
    {%- if not ranges -%}{%- do return("false") -%}{%- endif -%}
    {%- set type = "array<struct<schema_key: string, table_key: string, after_ts: bigint, to_ts: bigint>>" -%}
    {%- do return(
        "coalesce(exists(" ~ ticdc.of_feed(ranges, type) ~ ", each -> each.schema_key = lower(schema_name) and each.table_key = lower(table_name)"
        ~ " and commit_ts > each.after_ts and (each.to_ts is null or commit_ts <= each.to_ts)), false)"
    ) -%}
{% endmacro %}
