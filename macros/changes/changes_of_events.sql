{% macro changes_of_events(events) %}
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
        image_hash,
        copy,
        lossy,
        -- one pass over the events, and images are not copied into an array
        coalesce(half, op) as op,
        if(half = 'delete', before_key, row_key) as row_key,
        if(half = 'insert', null, before) as before,
        if(half = 'delete', null, after) as after
    from {{ events }}
    lateral view explode(if(before_key is null, array(null), array('delete', 'insert'))) halves as half
{% endmacro %}
