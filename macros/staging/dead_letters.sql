{% macro dead_letters(rows) %}
select * except (place)
from (
    select
        *,
        row_number() over (
            partition by feed, topic, `partition`, `offset`, event_index order by run_id desc
        ) as place
    from {{ rows }} as staged
    where kind = 'error' or is_redriven
) as ranked_events
where place = 1 and kind = 'error'
{% endmacro %}
