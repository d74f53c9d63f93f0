{% macro changes_of_events(events) %}
    {%- set carried -%}
        feed,
        topic,
        `partition`,
        `offset`,
        event_index,
        schema_name,
        table_name,
        physical_table_id,
        commit_ts,
        commit_ts_exact,
        start_ts,
        image_hash,
        lossy
    {%- endset -%}
    select
        {{ carried }},
        op,
        row_key,
        before,
        after
    from {{ events }}
    where before_key is null

    union all

    select
        {{ carried }},
        change.*
    from {{ events }}
    lateral view explode(
        array(
            named_struct('op', 'delete', 'row_key', before_key, 'before', before, 'after', null),
            named_struct('op', 'insert', 'row_key', row_key, 'before', null, 'after', after)
        )
    ) halves as change
    where before_key is not null
{% endmacro %}
