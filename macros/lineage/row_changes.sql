{% macro row_changes(carried_rows, since_run_id=0) %}
    {%- set has_bags = ticdc.settled(ref("int_ticdc__changes")).get("has_bags") -%}
    {%- set columns = [
        "feed", "table_id", "table_incarnation", "version_from_ts", "schema_name", "table_name", "commit_ts",
        "commit_ts_exact", "op", "apply_rank", "row_key", "before", "after", "lossy", "topic", "`partition`",
        "`offset`", "event_index", "run_id",
    ] -%}
    {%- set since = ["run_id > " ~ since_run_id] if since_run_id else [] %}
    select
        {{ columns | join(",\n        ") }},
        commit_ts as row_commit_ts,
        'message' as cause,
        cast(null as bigint) as late_run_id
    from {{ ref("int_ticdc__changes") }}
    {{ "where " if since or has_bags }}{{ (since + (["not array_contains(lossy, '*:no_key')"] if has_bags else [])) | join(" and ") }}

    union all

    select
        {{ columns | join(",\n        ") }},
        row_commit_ts,
        cause,
        null as late_run_id
    from {{ carried_rows }}
    {{ "where " if since or has_bags }}
    {{- (since + (["not array_contains(lossy, '*:no_key')"] if has_bags else [])) | join(" and ") }}
    {%- if has_bags %}

    union all

    {{ ticdc.bag_changes(columns, carried_rows, since_run_id) }}
    {%- endif %}
{% endmacro %}
