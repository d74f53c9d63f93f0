{% macro row_changes(carried_rows) %}
    {%- set columns -%}
        feed,
        table_id,
        table_incarnation,
        version_from_ts,
        schema_name,
        table_name,
        commit_ts,
        commit_ts_exact,
        op,
        apply_rank,
        row_key,
        before,
        after,
        lossy,
        topic,
        `partition`,
        `offset`,
        event_index,
        run_id
    {%- endset -%}
    select
        {{ columns }},
        commit_ts as row_commit_ts,
        'message' as cause
    from {{ ref("int_ticdc__changes") }}

    union all

    select
        {{ columns }},
        row_commit_ts,
        cause
    from {{ carried_rows }}
{% endmacro %}
