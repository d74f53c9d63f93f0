{% macro row_changes(carried_rows, since_run_id=0, of_rows=none, has_keyless_rows=none, of_publication=false, whole_feeds=[]) %}
    {%- set has_keyless_rows = ticdc.settled(ref("int_ticdc__changes")).get("has_bags") if has_keyless_rows is none else has_keyless_rows -%}
    {%- set rows_of = ticdc.published_rows if of_publication else ticdc.rows_of -%}
    {%- set changes, carried = rows_of(ref("int_ticdc__changes")), rows_of(carried_rows) -%}
    {%- set columns = [
        "feed", "table_id", "table_incarnation", "version_from_ts", "schema_name", "table_name", "commit_ts",
        "commit_ts_exact", "op", "apply_rank", "row_key", "before", "after", "lossy", "topic", "`partition`",
        "`offset`", "event_index", "run_id", "first_run_id", "physical_table_id",
    ] -%}
    {%- set conditions = [ticdc.is_since(since_run_id, whole_feeds)] if since_run_id else [] -%}
    {%- if has_keyless_rows -%}{%- do conditions.append("not array_contains(lossy, '*:no_key')") -%}{%- endif -%}
    {%- if of_rows -%}
        {%- set keys_asked_for = of_rows ~ "." ~ ticdc.row_key_columns() | replace(", ", ", " ~ of_rows ~ ".") -%}
        {%- do conditions.append("(" ~ ticdc.row_key_columns() ~ ") in (select " ~ keys_asked_for ~ " from " ~ of_rows ~ ")") -%}
    {%- endif -%}
    {%- set asked_for = "where " ~ conditions | join("\n        and ") if conditions -%}
    select
        {{ columns | join(",\n        ") }},
        commit_ts as row_commit_ts,
        'message' as cause,
        cast(null as struct<partition_name: string, commit_ts: bigint>) as exchanged,
        cast(null as bigint) as late_run_id
    from {{ changes }} as changes
    {{ asked_for }}

    union all

    select
        {{ columns | join(",\n        ") }},
        row_commit_ts,
        cause,
        exchanged,
        null as late_run_id
    from {{ carried }} as carried_rows
    {{ asked_for }}
    {%- if has_keyless_rows %}

    union all

    {{ ticdc.keyless_changes(columns, changes, carried, since_run_id, of_rows, whole_feeds) }}
    {%- endif %}
{% endmacro %}
