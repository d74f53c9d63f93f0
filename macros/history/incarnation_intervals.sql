{% macro incarnation_intervals(states=none) %}
    select
        feed,
        table_id,
        table_incarnation,
        schema_name as current_schema_name,
        table_name as current_table_name,
        each.from_ts as live_from_ts,
        each.to_ts as live_to_ts,
        each.ended_by
    from {{ states or ticdc.published_rows(ref("int_ticdc__table_states")) }} as table_states
    lateral view explode(lives) exploded as each
{% endmacro %}
