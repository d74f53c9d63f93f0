{% macro changes_of_events(events) %}
    {%- set parts = [
        ("op", "row_key", "before", "after", "before_key is null"),
        ("'delete'", "before_key", "before", "cast(null as string)", "before_key is not null"),
        ("'insert'", "row_key", "cast(null as string)", "after", "before_key is not null"),
    ] -%}
    {%- for op, row_key, before, after, condition in parts %}
    select
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
        {{ op }} as op,
        {{ row_key }} as row_key,
        {{ before }} as before,
        {{ after }} as after,
        image_hash,
        table_schema_id,
        lossy
    from {{ events }}
    where {{ condition }}
    {% if not loop.last %}
    union all
    {% endif %}
    {%- endfor %}
{% endmacro %}
