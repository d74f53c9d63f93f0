{% macro carried_columns(values) %}
    {{ values.get("table_id", "rows.table_id") }} as table_id,
    {{ values.get("table_incarnation", "rows.table_incarnation") }} as table_incarnation,
    {{ values.version_from_ts }} as version_from_ts,
    rows.schema_name,
    rows.table_name,
    {{ values.commit_ts }} as commit_ts,
    rows.commit_ts_exact,
    {{ values.op }} as op,
    -- after the rows of its commit; without commit TSOs before them, as versions are told apart there
    {{ values.apply_rank }} - if(rows.commit_ts_exact, 0, 4) as apply_rank,
    {{ values.row_key }} as row_key,
    {{ values.get("before", "rows.after") }} as before,
    {{ values.get("after", "cast(null as string)") }} as after,
    {{ values.get("lossy", "rows.lossy") }} as lossy,
    '' as topic,
    0 as `partition`,
    cast(0 as bigint) as `offset`,
    0 as event_index,
    rows.row_commit_ts,
    {{ values.cause }} as cause,
    rows.feed,
    {{ ticdc.run_id() }} as run_id
{% endmacro %}
