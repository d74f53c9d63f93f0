{% macro is_keyed_anew() %}
    {%- set query %}
    select to_json(map_from_entries(sort_array(collect_list(struct(feed, ranges)))))
    from (
        select
            feed,
            sort_array(collect_list(struct(schema_key, table_key, rows_after_ts as after_ts, rows_to_ts as to_ts))) as ranges
        from {{ ticdc.catalogue_records("version") }}
        where keys_rows or has_unsure_key
        group by feed
    )
    {% endset -%}
    {%- set found = ticdc.asked(query, [ref("int_ticdc__catalogue")]) -%}
    {%- set ranges = fromjson(found[0][0]) if found else {} -%}
    {%- if not ranges -%}{%- do return("false") -%}{%- endif -%}
    {%- set type = "array<struct<schema_key: string, table_key: string, after_ts: bigint, to_ts: bigint>>" -%}
    {%- do return(
        "coalesce(exists(" ~ ticdc.of_feed(ranges, type) ~ ", each -> each.schema_key = lower(schema_name) and each.table_key = lower(table_name)"
        ~ " and commit_ts > each.after_ts and (each.to_ts is null or commit_ts <= each.to_ts)), false)"
    ) -%}
{% endmacro %}
