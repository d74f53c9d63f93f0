{% macro copies_in_commit(changes, identity) %}
    {%- set delivery = "feed, topic, `partition`, schema_name, table_name, physical_table_id" -%}
    {%- set position = "`offset`, event_index" -%}
    select
        feed,
        topic,
        `partition`,
        `offset`,
        event_index,
        op,
        row_number() over (partition by {{ identity }}, {{ delivery }}, delivery order by {{ position }}) as copy
    from (
        select
            *,
            count_if(begins_delivery) over (partition by {{ delivery }} order by {{ position }}) as delivery
        from (
            select
                *,
                not lag(commit_ts) over (partition by {{ delivery }} order by {{ position }}) <=> commit_ts
                    as begins_delivery
            from {{ changes }}
            where array_contains(lossy, '*:no_key')
        ) as keyless_changes
    ) as delivered_changes
{% endmacro %}
