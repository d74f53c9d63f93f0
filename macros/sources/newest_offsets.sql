{% macro newest_offsets(plans, of="feed, topic") -%}
select * except (newest_run_id)
    from (
        select
            *,
            max(run_id) over (partition by {{ of }}) as newest_run_id
        from {{ plans }} as plans
    ) as plans_of_topics
    where run_id = newest_run_id
{%- endmacro %}
