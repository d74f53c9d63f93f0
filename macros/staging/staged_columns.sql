{% macro staged_columns(protocol, has_commits) -%}
    {%- set has_schema = ticdc[protocol ~ "__has_schema"] if protocol ~ "__has_schema" in ticdc else ticdc.has_schema -%}
    topic,
    `partition`,
    `offset`,
    event_index,
    message_at,
    event.kind,
    {{ "coalesce(event.commit_ts, commits.commit_ts) as commit_ts" if has_commits else "event.commit_ts" }},
    event.commit_ts_exact,
    event.start_ts,
    event.schema_name,
    event.table_name,
    event.physical_table_id,
    event.op,
    event.row_key,
    event.before_key,
    event.before,
    event.after,
    event.table_schema_id,
    event.table_schema,
    event.ddl_query,
    event.ddl_type,
    event.lossy,
    event.error_code,
    {% if "schemas" in ticdc.protocol_macro(protocol, "options")() -%}
    if(
        event.error_code = 'schema_missing', concat_ws(': ', event.error_message, schema_error), event.error_message
    ) as error_message,
    {%- else -%}
    event.error_message,
    {%- endif %}
    event.checksum,
    event.checksum_mismatch,
    if(reads_files, event.claim_check, null) as claim_check,
    event.row_id,
    not (reads_files and event.claim_check is not null) and {{ has_schema("event") }} as is_resolved,
    key,
    value,
    key_length,
    value_length,
    {{ ticdc.run_id() }} as run_id,
    is_redriven,
    feed
{%- endmacro %}
